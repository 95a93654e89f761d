"""One audit from beginning to end: read, check, build if asked to, write down."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fusedfacts.audit import (
    build,
    facts_file,
    folder,
    fresh,
    rendered,
    report,
    rules,
    sources,
    subject,
    verdicts,
)
from fusedfacts.audit.build import Progress
from fusedfacts.audit.rules import FACTS, FOLDER, SHIPPED, Check, Result
from fusedfacts.audit.subject import Subject
from fusedfacts.documents import files
from fusedfacts.errors import ClaimError
from fusedfacts.pipeline import config as settings

# Everything that can be held against its source without computing it again.
CHECKS = (
    Check(
        "schema",
        "facts.json against its schema, strict and in canonical bytes",
        *("documents", facts_file.check_schema, ()),
    ),
    Check(
        "closed",
        "the schema itself: every object closed, every property required",
        *("properties", facts_file.check_closed, ()),
    ),
    Check("ids", "each claim's id, once", "claims", facts_file.check_ids),
    Check("claims", "each claim against its section", "properties", facts_file.check_claims),
    Check(
        "settings", "settings and inputs against the config", "values", facts_file.check_settings
    ),
    Check("counts", "each count against the closed formula", "counts", facts_file.check_counts),
    Check("verdicts", "each verdict against its figures", "figures", verdicts.check_verdicts),
    Check("model", "model files against the config's hashes", "files", sources.check_model, ()),
    Check("kernels", "kernel files against the facts' hashes", "files", sources.check_kernels),
    Check(
        "folder",
        "published files against the manifest",
        *("files", folder.check_folder, (FOLDER,)),
    ),
    Check(
        "sources",
        "model, kernels, library, config and lock against the manifest",
        *("files", sources.check_sources, (FOLDER,)),
    ),
    Check(
        "copies",
        "published scripts, kernels and model against the repository's",
        *("files", folder.check_copies, (FOLDER,)),
    ),
    Check("crate", "the RO-Crate against the manifest", "files", sources.check_crate, (FOLDER,)),
    Check(
        "told",
        "film, captions, transcript, pictures and page against the facts",
        *("files", rendered.check_rendered, (FOLDER, FACTS)),
    ),
    Check(
        "documents",
        "numerals of README and docs against claims",
        *("numerals", rendered.check_documents, (FACTS, SHIPPED)),
    ),
    Check(
        "devices",
        "kept device reports against schema and themselves",
        *("reports", folder.check_devices, (FOLDER,)),
    ),
)


def quick(given: Subject) -> list[Result]:
    """Run every check that needs no computing."""
    schema, *others = CHECKS
    first = rules.run_one(schema, given)
    # Other bytes of the right values still fit: only a document that does not must not be read on.
    return [first, *rules.run(others, given, facts_fit=first.checked > 0)]


def audit(
    root: Path,
    facts: Path,
    mode: str,
    cores: int,
    configs: Sequence[Path] = (),
    progress: Progress = build.no_progress,
) -> dict[str, Any]:
    """Audit a facts.json and all that was published with it; the result is the audit's document.

    `mode` is quick or full; `configs` are files that override config.yaml.
    """
    given = subject.read(facts, root, settings.read(root, configs))  # before anything is built
    results = quick(given)
    if mode == "full":
        results += fresh.audit(given, cores, configs, progress)
    return report.document(mode, given.name, results)


def of_workflow(root: Path, facts: Path, cores: int, config: dict[str, Any], results: Path) -> None:
    """Audit in full as a job of the workflow, with its config; stop if it does not hold."""
    with tempfile.TemporaryDirectory() as scratch:
        used = Path(scratch) / "config.json"
        files.write_json(used, config)
        found = audit(root, facts, "full", cores, [used])
    write(found, results)
    print("\n".join(report.lines(found)))
    if not found["holds"]:
        raise ClaimError(f"{report.verdict(found)}; read {results}/audit.md")


def write(found: dict[str, Any], output: Path) -> None:
    """Write audit.json and audit.md into a folder."""
    files.write_json(output / "audit.json", found)
    files.write_bytes(output / "audit.md", report.markdown(found).encode())
