"""One audit from beginning to end: read, check, build if asked to, write down."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fusedfacts.audit import fresh, quick, report, subject
from fusedfacts.audit.build import Progress
from fusedfacts.documents import files
from fusedfacts.errors import ClaimError
from fusedfacts.pipeline import config as settings

MODES = ("quick", "full")


def audit(
    root: Path,
    facts: Path,
    mode: str,
    cores: int,
    configs: Sequence[Path] = (),
    progress: Progress = lambda done, steps: None,
) -> dict[str, Any]:
    """The audit's document.

    Parameters
    ----------
    root : Path
        The repository.
    facts : Path
        The published facts.json, or one alone.
    mode : {"quick", "full"}
    cores : int
        Jobs of a fresh build at a time.
    configs : sequence of Path
        Files that override config.yaml.
    progress : callable
        Told of finished and all steps of a fresh build.

    Raises
    ------
    FactsError
        If the config or a file cannot be read.
    """
    config = settings.read(root, configs)
    audited = subject.read(facts, root, config)  # before anything is built
    results = quick.audit(audited)
    if mode == "full":
        results += fresh.audit(audited, cores, configs, progress)
    return report.document(mode, audited.name, results)


def of_workflow(root: Path, facts: Path, cores: int, config: dict[str, Any], results: Path) -> None:
    """The full audit as a job of the workflow, with the workflow's own config.

    Raises
    ------
    ClaimError
        If it does not hold; what was found is written before.
    """
    with tempfile.TemporaryDirectory() as folder:
        used = Path(folder) / "config.json"
        files.write_json(used, config)
        found = audit(root, facts, "full", cores, [used])
    write(found, results)
    print("\n".join(report.lines(found)))
    if not found["holds"]:
        raise ClaimError(f"{report.verdict(found)}; read {results}/audit.md")


def write(found: dict[str, Any], folder: Path) -> None:
    """audit.json and audit.md into a folder.

    Raises
    ------
    FactsError
        If it cannot be written.
    """
    files.write_json(folder / "audit.json", found)
    files.write_bytes(folder / "audit.md", report.markdown(found).encode())
