"""The processes of this machine that a Snakemake run in a folder consists of.

A run is one process, which starts others for its jobs. Killed without warning, it leaves these at
work, with a parent that is no run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

WORDS = 6  # of a command line: the interpreter with its options, then the program
SCRIPTS = Path(".snakemake", "scripts")  # where Snakemake puts the script of a job
PART_OF_A_RUN = (b"--mode", b"subprocess")  # how it calls itself for a job on the same machine


@dataclass(frozen=True)
class Process:
    """One process; `parent` is None where the system does not say."""

    parent: int | None
    words: tuple[bytes, ...]
    standing: Path

    @property
    def is_snakemake(self) -> bool:
        """`python .venv/bin/snakemake` or `python -m snakemake`; no editor with such a file."""
        names = [os.path.basename(word) for word in self.words[:WORDS]]
        return names[0].startswith((b"python", b"snakemake")) and b"snakemake" in names

    @property
    def is_part(self) -> bool:
        """Whether it is Snakemake at a job of a run, and not the run."""
        return PART_OF_A_RUN in zip(self.words, self.words[1:], strict=False)


def seen(processes: Path) -> dict[int, Process] | None:
    """All that may be looked at, by id, or None where processes cannot be listed."""
    if not (processes / "self").exists():
        return None
    found = {}
    for entry in processes.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = tuple((entry / "cmdline").read_bytes().split(b"\0"))
            standing = Path(os.readlink(entry / "cwd"))
        except OSError:  # it ended meanwhile, or is somebody else's
            continue
        found[int(entry.name)] = Process(_parent(entry / "stat"), words, standing)
    return found


def _parent(stat: Path) -> int | None:
    """From Linux's line `id (name) state parent ...`; a name may hold spaces and brackets."""
    try:
        return int(stat.read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def runs(folder: Path, all_seen: Mapping[int, Process]) -> list[int]:
    """Ids of the runs in a folder."""
    place = folder.resolve()
    return sorted(
        number
        for number, process in all_seen.items()
        if process.standing == place and process.is_snakemake and not process.is_part
    )


def left_alone(folder: Path, all_seen: Mapping[int, Process]) -> list[int]:
    """Ids of the jobs of a folder whose run is gone: none of a job's forebears is a run."""
    scripts = os.fsencode(folder.resolve() / SCRIPTS) + b"/"
    found = []
    for number, process in all_seen.items():
        part = process.standing == folder.resolve() and process.is_snakemake and process.is_part
        script = any(word.startswith(scripts) for word in process.words)
        if (part or script) and process.parent is not None:
            above = _forebears(process, all_seen)
            if not any(one.is_snakemake and not one.is_part for one in above):
                found.append(number)
    return sorted(found)


def _forebears(process: Process, all_seen: Mapping[int, Process]) -> Iterator[Process]:
    """Parent, its parent, and so on; ids may be given anew between two looks, so none twice."""
    passed: set[int] = set()
    number = process.parent
    while number is not None and number in all_seen and number not in passed:
        passed.add(number)
        yield all_seen[number]
        number = all_seen[number].parent
