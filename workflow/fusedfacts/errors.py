"""The two ways in which a run may end badly, each with its exit code, and what nobody foresaw."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable
from pathlib import Path

SHOWN = 200  # characters of a fault's own words that a sentence quotes
GUESSES_MOST = 3  # names that somebody may have meant


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
    label = "error"  # what a sentence begins with where it is printed

    def __init__(self, *sentences: str) -> None:
        super().__init__("\n".join(map(printable, sentences)))


class ClaimError(FactsError):
    """A claim that does not hold: exit code 1. Nothing may be published after it."""

    exit_code = 1
    label = "does not hold"


def sentence_of(fault: Exception) -> FactsError:
    """Make any exception a sentence with an exit code that is no verdict.

    What is full or closed to this user is the machine's; all else that gets here is ours.

    >>> print(sentence_of(OSError(28, "No space left on device", "/tmp/x")))
    /tmp/x: cannot be read or written (No space left on device), expected room and leave to; \
give it both and run again
    """
    if isinstance(fault, FactsError):
        return fault
    if isinstance(fault, OSError):
        where, why = fault.filename or "this machine", fault.strerror or type(fault).__name__
        said = f"cannot be read or written ({why}), expected room and leave to"
        return FactsError(f"{where}: {said}; give it both and run again")
    if isinstance(fault, MemoryError):
        return FactsError("memory: found too little, expected more; free some, or ask for less")
    own = str(Path(__file__).parent)
    package = (getattr(fault, "name", None) or "").partition(".")[0]
    if isinstance(fault, ModuleNotFoundError) and package not in ("", Path(own).name):
        return FactsError(
            f"Python of {sys.prefix}: found no package {package}, expected it; run `make facts`"
            f" in a clone, or `{sys.executable} -m pip install {package}` elsewhere"
        )
    frames = traceback.extract_tb(fault.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(own)] or frames
    place = f" at {Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    words = printable(f"{type(fault).__name__}: {fault}", SHOWN)
    return FactsError(
        f"fusedfacts: found a fault of its own ({words}{place}), expected none; run it again with"
        " PYTHONDEVMODE=1 set, and report what that prints"
    )


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


def guessed(word: str, known: Iterable[str]) -> str:
    """Guess which known name was meant, in brackets within a sentence; nothing where none is near.

    >>> guessed("cuont", ["check", "count"]), guessed("FUSED", ["fused"]), guessed("x", ["count"])
    (' (did you mean count?)', ' (did you mean fused?)', '')
    """
    import difflib  # only a mistake needs it

    near = difflib.get_close_matches(word.lower(), known, GUESSES_MOST)
    return f" (did you mean {' or '.join(near)}?)" if near else ""
