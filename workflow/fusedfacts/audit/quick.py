"""The quick audit: everything that can be held against its source without computing it again."""

from __future__ import annotations

from fusedfacts.audit import (
    counts,
    documents,
    facts_file,
    folder,
    rendered,
    rules,
    sources,
    verdicts,
)
from fusedfacts.audit.rules import Check, Result
from fusedfacts.audit.subject import Subject

SCHEMA = Check(
    "schema",
    "facts.json against its schema, strict and in canonical bytes",
    "documents",
    facts_file.schema,
    needs_facts=False,
)
CHECKS = (
    Check(
        "closed",
        "the schema itself: every object closed, every property required",
        "properties",
        facts_file.closed,
        needs_facts=False,
    ),
    Check("ids", "each claim's id, once", "claims", facts_file.ids),
    Check("claims", "each claim against its section", "properties", facts_file.claims),
    Check("settings", "settings and inputs against the config", "values", facts_file.chosen),
    Check("counts", "each count against the closed formula", "counts", counts.all_counts),
    Check("verdicts", "each verdict against its figures", "figures", verdicts.all_verdicts),
    Check(
        "model",
        "model files against the config's hashes",
        "files",
        sources.model,
        needs_facts=False,
    ),
    Check("kernels", "kernel files against the facts' hashes", "files", sources.kernel_text),
    Check(
        "folder",
        "published files against the manifest",
        "files",
        folder.whole,
        needs_facts=False,
        needs_folder=True,
    ),
    Check(
        "sources",
        "model, kernels, library, config and lock against the manifest",
        "files",
        sources.inputs,
        needs_facts=False,
        needs_folder=True,
    ),
    Check(
        "copies",
        "published scripts, kernels and model against the repository's",
        "files",
        folder.copied,
        needs_facts=False,
        needs_folder=True,
    ),
    Check(
        "crate",
        "the RO-Crate against the manifest",
        "files",
        sources.crate,
        needs_facts=False,
        needs_folder=True,
    ),
    Check(
        "told",
        "film, captions, transcript, pictures and page against the facts",
        "files",
        rendered.told,
        needs_folder=True,
    ),
    Check(
        "documents",
        "numerals of README and docs against claims",
        "numerals",
        documents.quoted,
        needs_shipped_config=True,
    ),
    Check(
        "devices",
        "kept device reports against schema and themselves",
        "reports",
        folder.devices,
        needs_facts=False,
        needs_folder=True,
    ),
)


def audit(subject: Subject) -> list[Result]:
    """Run every check that needs no computing."""
    first = rules.run_one(SCHEMA, subject)
    # Other bytes of the right values still fit: only a document that does not must not be read on.
    fits = first.checked > 0
    return [first, *rules.run(CHECKS, subject, fits)]
