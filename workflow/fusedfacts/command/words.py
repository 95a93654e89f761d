"""Numbers and words as people read them on a terminal."""

from __future__ import annotations

import re
import textwrap

WIDTH = 80  # columns of a terminal that nobody has widened
INDENT = "  "
FLOAT32_DIGITS = 9  # tell any two float32 numbers apart


def counted(number: int, noun: str) -> str:
    """A number and what it counts, in the plural where it is not one.

    >>> counted(1, "score"), counted(6400, "element"), counted(0, "row")
    ('1 score', '6,400 elements', '0 rows')
    """
    return f"{number:,} {agreeing(number, noun, f'{noun}s')}"


def agreeing(number: int, one: str, several: str) -> str:
    """The word that goes with a number.

    >>> agreeing(1, "exceeds its bound", "exceed their bounds")
    'exceeds its bound'
    """
    return one if number == 1 else several


def error(value: float | None) -> str:
    """An error, a bound or their ratio; None is what a document says where one is not finite.

    >>> error(2.14e-05), error(None)
    ('2.14e-05', 'not finite')
    """
    return "not finite" if value is None else f"{value:.2e}"


def float32(value: float) -> str:
    """A number with as many digits as float32 may need.

    >>> float32(0.08731754124164581)
    '0.0873175412'
    """
    return f"{value:.{FLOAT32_DIGITS}g}"


def wrapped(sentence: str) -> list[str]:
    """A sentence as lines no wider than a terminal, all but the first indented.

    >>> wrapped("word " * 20)[1]
    '  word word word word'
    """
    return textwrap.wrap(
        sentence,
        WIDTH,
        subsequent_indent=INDENT,
        break_long_words=False,  # a figure of many digits stays one word
        break_on_hyphens=False,
    )


def natural(text: str) -> list[str | int]:
    """A key that sorts numbers within words by their value.

    >>> sorted(["n1024.d16", "n64.d16", "n64.d2"], key=natural)
    ['n64.d2', 'n64.d16', 'n1024.d16']
    """
    # Split by a group, texts and digits take turns, so that like is compared with like.
    return [int(part) if i % 2 else part for i, part in enumerate(re.split("([0-9]+)", text))]
