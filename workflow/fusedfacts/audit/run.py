"""One audit from beginning to end: read, check, build if asked to, write down."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from fusedfacts.audit import (
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
from fusedfacts.audit.build import Builder
from fusedfacts.audit.rules import Result
from fusedfacts.audit.subject import Subject
from fusedfacts.documents import files
from fusedfacts.errors import ClaimError

# Everything that can be held against its source without computing it again.
CHECKS = (
    *(facts_file.check_schema, facts_file.check_closed, facts_file.check_ids),
    *(facts_file.check_claims, facts_file.check_settings, facts_file.check_counts),
    *(verdicts.check_verdicts, sources.check_model, sources.check_kernels, folder.check_folder),
    *(sources.check_sources, folder.check_copies, sources.check_crate),
    *(rendered.check_rendered, rendered.check_documents, folder.check_devices),
)


def quick(given: Subject) -> list[Result]:
    """Run every check that needs no computing."""
    schema, *others = CHECKS
    first = rules.run_one(schema, given)
    # Other bytes of the right values still fit: only a document that does not must not be read on.
    return [first, *rules.run(others, given, facts_fit=first.checked > 0)]


def audit(builder: Builder, facts: Path, mode: str) -> dict[str, Any]:
    """Audit a facts.json and all that was published with it; the result is the audit's document.

    `mode` is quick or full: full also builds afresh.
    """
    given = subject.read(facts, builder.root, builder.config)  # before anything is built
    results = quick(given)
    if mode == "full":
        red = any(result.verdict == "does not hold" for result in results)
        results += fresh.audit(given, builder, red=red)
    return report.document(mode, given.name, results)


def of_workflow(root: Path, facts: Path, cores: int, config: dict[str, Any], results: Path) -> None:
    """Audit in full as a job of the workflow, with its config; stop if it does not hold."""
    with tempfile.TemporaryDirectory() as scratch:
        used = Path(scratch) / "config.json"
        files.write_json(used, config)
        found = audit(Builder(root, cores, [used]), facts, "full")
    print(write(found, results))
    if not found["holds"]:
        raise ClaimError(f"{report.conclusion(found)}; read {results}/audit.txt")


def write(found: dict[str, Any], output: Path) -> str:
    """Write audit.json and audit.txt into a folder, and give what the latter says."""
    text = "\n".join(report.lines(found))
    files.write_json(output / "audit.json", found)
    files.write_bytes(output / "audit.txt", f"{text}\n".encode())
    return text
