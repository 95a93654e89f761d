"""What counts as a number in prose: anything with a digit, and words that say how many."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fusedfacts.errors import ClaimError

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen"
    " fourteen fifteen sixteen seventeen eighteen nineteen twenty"
).split()
TENS = ("thirty forty fifty sixty seventy eighty ninety").split()
LARGE = ("hundred thousand million billion trillion dozen").split()
PARTS = ("half halves quarter third fourth fifth sixth eighth tenth").split()
TIMES = ("once twice thrice double triple").split()
# "First" and "second" order things; "a" and "both" are grammar.
WORDS = (*UNITS, *TENS, *LARGE, *PARTS, *TIMES)

DIGITS = re.compile(r"[\w.,:/^+-]*\d[\w.,:/^+-]*")
SPELLED = re.compile(rf"\b(?:{'|'.join(WORDS)})s?\b", re.IGNORECASE)


def spell(value: int) -> str:
    """A small whole number as a word.

    Raises
    ------
    ClaimError
        Beyond twenty, where digits read better.

    Examples
    --------
    >>> spell(4)
    'four'
    """
    if not 0 <= value < len(UNITS):
        raise ClaimError(
            f"the number {value} has no word here, expected one from 0 to {len(UNITS) - 1}; quote"
            " it in digits"
        )
    return UNITS[value]


def masked(text: str, names: Iterable[str]) -> str:
    """The text with every name blanked, so that only other numerals are left to find.

    >>> masked("fp16 ends; fp161 does not", ["fp16"])
    '     ends; fp161 does not'
    """
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda m: " " * len(m.group()), text)
    return text


def with_digits(text: str) -> list[re.Match[str]]:
    """Every token with a digit.

    >>> [found.group() for found in with_digits("in fp16, 65,504 is largest: 3.")]
    ['fp16,', '65,504', '3.']
    """
    return list(DIGITS.finditer(text))


def spelled(text: str) -> list[re.Match[str]]:
    """Every number word.

    >>> [found.group() for found in spelled("One head, four-term sums, thirty thousand bones")]
    ['One', 'four', 'thirty', 'thousand']
    """
    return list(SPELLED.finditer(text))
