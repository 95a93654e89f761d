"""What a killed run leaves in Snakemake's own folder: locks, and marks on half-made files.

A lock (`.snakemake/locks/0.input.lock`, ...) lists files and names no process. Whether its run is
still at work is seen from the processes of this machine.
"""

from __future__ import annotations

import base64
import binascii
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from fusedfacts.doctor import processes
from fusedfacts.doctor.finding import Finding, below, listed, quoted
from fusedfacts.doctor.place import Place

LOOK = "snakemake"
LOCKS = Path(".snakemake", "locks")
INCOMPLETE = Path(".snakemake", "incomplete")


def at_work(folder: Path, listed_in: Path) -> bool:
    """Whether a run, or a job that a killed one left, works in a folder."""
    found = processes.seen(listed_in)
    return found is not None and bool(
        processes.runs(folder, found) or processes.left_alone(folder, found)
    )


def look(place: Place) -> list[Finding]:
    """Locks and marks without a run, in the clone and in the working directory."""
    return [finding for folder in place.runs for finding in _left(folder, place)]


def _left(folder: Path, place: Place) -> Iterator[Finding]:
    found = processes.seen(place.processes)
    if found is not None:
        jobs = processes.left_alone(folder, found)
        if jobs:
            yield _jobs(jobs, folder, place)
        if jobs or processes.runs(folder, found):
            return
    go, snakemake = _called(folder, place)
    locks = sorted((folder / LOCKS).glob("*.lock"))
    if locks:
        unseen = "" if found is not None else ", if none of yours is still at work"
        yield Finding(
            LOOK,
            below(locks[0].parent, place.root),
            f"{len(locks)} lock{'s' * (len(locks) > 1)} and no run at work here",
            "none, for a run that was killed left them",
            f"run `{go}{snakemake} --unlock`{unseen}",
        )
    marked = sorted(incomplete(folder))
    if marked:
        yield Finding(
            LOOK,
            below(folder / INCOMPLETE, place.root),
            f"{listed(marked)} marked as half-made",
            "none, for a run that was killed left them",
            f"run `{go}{snakemake} --cores 4 --rerun-incomplete`",
        )


def _jobs(jobs: list[int], folder: Path, place: Place) -> Finding:
    """Until they end, nobody may unlock."""
    many = len(jobs) > 1
    numbers = [str(number) for number in jobs]
    return Finding(
        LOOK,
        below(folder / processes.SCRIPTS, place.root),
        f"process{'es' * many} {', '.join(numbers)} of a run that was killed still at work",
        "none without its run",
        f"wait for {'them' if many else 'it'}, or run `kill {' '.join(numbers)}`, then ask the"
        " doctor again",
    )


def _called(folder: Path, place: Place) -> tuple[str, str]:
    """How to go to a folder, and what Snakemake is called there."""
    go = "" if folder == place.working else f"cd {quoted([str(folder)])} && "
    if shutil.which("snakemake", path=place.environment.get("PATH", os.defpath)):
        return go, "snakemake"
    own = place.venv / "bin" / "snakemake"
    return go, quoted([below(own, folder)])


def incomplete(folder: Path) -> Iterator[str]:
    """Files that Snakemake marked when their job began and that it would make again.

    A mark is named after the file, in URL-safe base64; a file that is not there needs none.
    """
    for mark in (folder / INCOMPLETE).rglob("*"):
        if not mark.is_file():
            continue
        parts = mark.relative_to(folder / INCOMPLETE).parts
        text = "".join(part.removeprefix("@") for part in parts)
        try:
            name = base64.urlsafe_b64decode(text).decode()
            there = (folder / name).exists()
        except (binascii.Error, ValueError, OSError):  # not one of its marks
            continue
        if name and there:
            yield name
