"""Text that remembers which parts of it were quoted, and from where.

A quoted part stands between private-use characters, which no prose contains:
OPEN key FORM form TEXT text CLOSE. Words can be moved into lines and cues without losing it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

OPEN, FORM, TEXT, CLOSE = "\ue000", "\ue001", "\ue002", "\ue003"
MARKED = re.compile(f"{OPEN}([^{FORM}]*){FORM}([^{TEXT}]*){TEXT}([^{CLOSE}]*){CLOSE}")
NAME = "name."  # a key that begins so is a name, every other one a claim's id


class Quoted(NamedTuple):
    """A quoted part: a claim's id (or a name), the form, and the words that are shown."""

    key: str
    form: str
    text: str

    @property
    def is_claim(self) -> bool:
        """Whether it is a published number rather than a name."""
        return not self.key.startswith(NAME)


def mark(key: str, form: str, text: str) -> str:
    """Mark a quoted part, to be put into text.

    >>> plain("all " + mark("model.heads", "word", "four") + " heads")
    'all four heads'
    """
    return f"{OPEN}{key}{FORM}{form}{TEXT}{text}{CLOSE}"


def quoted(marked: str) -> list[Quoted]:
    """Find the quoted claims, in order.

    >>> quoted("all " + mark("model.heads", "word", "four") + " heads of " + name("a", "fp16"))
    [Quoted(key='model.heads', form='word', text='four')]
    """
    parts = (Quoted(*found.groups()) for found in MARKED.finditer(marked))
    return [part for part in parts if part.is_claim]


def replaced(marked: str, write: Callable[[Quoted], str]) -> str:
    """Write every quoted part of a text some other way."""
    return MARKED.sub(lambda found: write(Quoted(*found.groups())), marked)


def replaced_claims(marked: str, write: Callable[[Quoted], str]) -> str:
    """Write every quoted claim of a text some other way, and names as they are shown."""
    return replaced(marked, lambda part: write(part) if part.is_claim else part.text)


def name(key: str, text: str) -> str:
    """Mark words that are no published number although they hold a digit."""
    return mark(f"{NAME}{key}", "", text)


def plain(marked: str) -> str:
    """Reduce marked text to what a reader sees."""
    return replaced(marked, lambda part: part.text)
