"""What counts as a number in prose: anything with a digit, and words that say how many."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen"
    " fourteen fifteen sixteen seventeen eighteen nineteen twenty"
).split()
TENS = ("thirty forty fifty sixty seventy eighty ninety").split()
LARGE = ("hundred thousand million billion trillion dozen").split()
PARTS = ("half halves halve halved quarter third fifth eighth ninth twelfth").split()
TIMES = ("once twice thrice double doubled triple tripled quadruple quadrupled").split()
TWENTIES = ("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth").split()
# "First" and "second" order things; "a", "both", "none" and "single" are grammar.
WORDS = (*UNITS, *TENS, *LARGE, *PARTS, *TIMES, *TWENTIES)

# Digits of every script, superscripts, fractions, Roman numeral signs.
SIGNS = "".join(
    re.escape(sign)
    for sign in map(chr, range(sys.maxunicode + 1))
    # Ideographs (Lo) that mean a number are words.
    if unicodedata.numeric(sign, None) is not None and unicodedata.category(sign) != "Lo"
)
AROUND = r"[\w.,:/^+-]*"
DIGITS = re.compile(rf"{AROUND}[{SIGNS}]{AROUND}|\b(?=[IVXLC]{{2,}}\b)[IVXLC]+\b")
SPELLED = re.compile(rf"\b(?:{'|'.join(WORDS)})(?:s|es|th|ths|fold)?\b", re.IGNORECASE)


def spell(value: int) -> str:
    """A small whole number as a word; beyond twenty, where they read better, in digits.

    >>> spell(4), spell(24)
    ('four', '24')
    """
    return UNITS[value] if 0 <= value < len(UNITS) else f"{value:,}"


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

    >>> [found.group() for found in with_digits("in fp16, 65,504 is largest: 3. Half is ½.")]
    ['fp16,', '65,504', '3.', '½.']
    """
    return list(DIGITS.finditer(text))


def spelled(text: str) -> list[re.Match[str]]:
    """Every number word.

    >>> [found.group() for found in spelled("One head, four-term sums, tenfold, thirty halves")]
    ['One', 'four', 'tenfold', 'thirty', 'halves']
    """
    return list(SPELLED.finditer(text))
