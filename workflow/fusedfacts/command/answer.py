"""What a subcommand answers: for people, for programs, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """The answer of one subcommand.

    Attributes
    ----------
    document : dict
        For `--json`: exact JSON types only.
    lines : list of str
        The same for people.
    holds : bool
        Exit code 0 if true, else 1.
    """

    document: dict[str, Any]
    lines: list[str]
    holds: bool = True
