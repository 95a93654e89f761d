"""The two ways in which a run may end badly, each with its exit code."""

from __future__ import annotations


class FactsError(Exception):
    r"""Something that a user can cause and mend: exit code 2, one sentence, no traceback.

    The sentence names the file and the field, what was found, what was expected, and the
    command or edit that mends it. What it quotes may be a stranger's, so what a terminal would
    obey (a line break, an escape) and what it cannot show is written as an escape. Where one look
    sees several faults, each has a sentence and a line.

    >>> str(FactsError("a\nb: found \x1b[2J"))
    'a\\nb: found \\x1b[2J'
    """

    exit_code = 2

    def __init__(self, *sentences: str) -> None:
        super().__init__("\n".join(map(printable, sentences)))


class ClaimError(FactsError):
    """A claim that does not hold: exit code 1. Nothing may be published after it."""

    exit_code = 1


def printable(text: str, most: int | None = None) -> str:
    r"""Escape what is not printable in a stranger's text, and cut it to `most` characters.

    A line break would make two lines of a sentence; an escape sequence, or a sign that turns the
    direction of writing, would let a file's author write over what we say.

    >>> print(printable("q\n\x1b[31m"), printable("\u202eab"), printable("abc", 2))
    q\n\x1b[31m \u202eab ab...
    """
    if most is None and text.isprintable():
        return text
    cut = text if most is None or len(text) <= most else text[:most] + "..."
    escaped = (
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in cut
    )
    return "".join(escaped)
