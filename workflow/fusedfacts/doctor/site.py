"""What is examined, and what is reported of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from fusedfacts.documents import repository

REINSTALL = "run `rm -rf .venv && make facts`, which sets it up anew"
ACTIVATE = "run `. .venv/bin/activate` in the clone"


class Site(NamedTuple):
    """A clone, the working directory, `sys.prefix`, and Linux's list of processes."""

    root: Path
    working: Path
    prefix: Path
    processes: Path = Path("/proc")

    @property
    def venv(self) -> Path:
        """The environment that `make facts` sets up."""
        return self.root / ".venv"


def here() -> Site:
    """Describe the clone that this library lies in, and this process."""
    return Site(repository.ROOT, Path.cwd(), Path(sys.prefix))


class Finding(NamedTuple):
    """Something that is in the way; `topic` is a word for programs, `fix` holds the command."""

    topic: str
    where: str
    found: str
    expected: str
    fix: str

    @property
    def sentence(self) -> str:
        """The whole of it, on one line whatever a file is called.

        >>> Finding("model", "probe.txt", "no file", "one", "restore it").sentence
        'probe.txt: found no file, expected one; restore it'
        """
        whole = f"{self.where}: found {self.found}, expected {self.expected}; {self.fix}"
        return whole.replace("\n", "\\n")
