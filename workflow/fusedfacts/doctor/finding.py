"""Something that is in the way, as one sentence with the command that mends it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LISTED_MOST = 5  # names that a sentence can carry


@dataclass(frozen=True)
class Finding:
    """One illness.

    Attributes
    ----------
    look : str
        Which look found it: a word for programs.
    where, found, expected : str
    mend : str
        What to do, with the command.
    """

    look: str
    where: str
    found: str
    expected: str
    mend: str

    @property
    def sentence(self) -> str:
        """The whole of it, on one line whatever a file is called.

        >>> Finding("disk", "results", "no space", "some", "free some").sentence
        'results: found no space, expected some; free some'
        """
        whole = f"{self.where}: found {self.found}, expected {self.expected}; {self.mend}"
        return whole.replace("\n", "\\n")


def listed(names: Sequence[str]) -> str:
    """Names for a sentence: the first few, and how many more.

    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    shown = ", ".join(names[:LISTED_MOST])
    more = len(names) - LISTED_MOST
    return f"{shown} and {more} more" if more > 0 else shown


def quoted(paths: Sequence[str]) -> str:
    """Paths as a shell reads them.

    >>> quoted(["a b", "c"])
    "'a b' c"
    """
    return " ".join(shlex.quote(path) for path in paths)


def below(path: Path, folder: Path) -> str:
    """A path as a sentence names it: from the folder if it lies there.

    >>> below(Path("/a/b/c"), Path("/a/b")), below(Path("/x"), Path("/a"))
    ('c', '/x')
    """
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
