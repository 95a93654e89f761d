"""Where the doctor looks: gathered once, so that every look is a function of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fusedfacts.documents import repository

PROC = Path("/proc")


@dataclass(frozen=True)
class Place:
    """A clone, the folder where somebody stands, and the interpreter that they run.

    Attributes
    ----------
    root : Path
        The clone.
    working : Path
        The working directory: Snakemake keeps its locks there.
    prefix : Path
        `sys.prefix`: the environment of the interpreter.
    version : tuple of int
        Of the interpreter.
    environment : mapping
        The environment's variables.
    processes : Path
        Linux's list of processes; where there is none, no run can be seen.
    """

    root: Path
    working: Path
    prefix: Path
    version: tuple[int, int, int]
    environment: Mapping[str, str] = field(default_factory=dict)
    processes: Path = PROC

    @property
    def venv(self) -> Path:
        """The environment that `make facts` sets up."""
        return self.root / ".venv"

    @property
    def runs(self) -> list[Path]:
        """The folders in which Snakemake may have been started."""
        same = self.working.resolve() == self.root.resolve()
        return [self.root] if same else [self.root, self.working]


def here() -> Place:
    """The clone that this library lies in, and this process."""
    return Place(
        root=repository.ROOT,
        working=Path.cwd(),
        prefix=Path(sys.prefix),
        version=sys.version_info[:3],
        environment=dict(os.environ),
    )
