"""What a terminal shows of an answer: verdicts in colour, and a long list in a pager.

No colour reaches JSON, nor a pipe or a file, but where FORCE_COLOR asks for it; NO_COLOR forbids it
everywhere. What comes here is printable already: an escape in it would be ours.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TextIO

GREEN, YELLOW, RED = "32", "33", "31"
COLOURS = {
    "holds": GREEN,
    "nothing is in the way": GREEN,
    "not certified": YELLOW,
    "not verified": YELLOW,
    "does not hold": RED,
    "refused": RED,
    "in the way": RED,
}
# A verdict fills a cell of a table, or begins or ends a line or a clause; in prose it is a word.
VERDICT = re.compile(rf"(?:^|(?<= ))(?:{'|'.join(COLOURS)})(?=  |:|, as far|$)")


def in_colour(stream: TextIO) -> bool:
    """Tell whether a stream shows colours: a terminal does, but for what its user asked for."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def coloured(line: str) -> str:
    r"""Colour the verdicts of a line.

    >>> coloured("out does not hold: crate"), coloured("what holds is said")
    ('out \x1b[31mdoes not hold\x1b[0m: crate', 'what holds is said')
    """
    return VERDICT.sub(lambda word: f"\x1b[{COLOURS[word[0]]}m{word[0]}\x1b[0m", line)


def text(lines: Sequence[str], stream: TextIO) -> str:
    """Write lines as the stream shows them."""
    shown = map(coloured, lines) if in_colour(stream) else lines
    return "".join(f"{line}\n" for line in shown)


def page(text: str) -> None:
    """Show a text in the user's pager, $PAGER or less, which leaves a short one on the screen."""
    import pydoc  # the standard library knows which pagers there are

    os.environ.setdefault("LESS", "FRX")  # as git does: quit where it fits, colours, no clearing
    pydoc.pager(text)
