"""What counts as a number in prose: anything with a digit, and words that say how many."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from html import unescape

UNITS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty""".split()
# "First" and "second" order things; "a", "both", "none" and "single" are grammar.
OTHERS = """thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion
dozen half halves halve halved quarter third fifth eighth ninth twelfth once twice thrice double
doubled triple tripled quadruple quadrupled twentieth thirtieth fortieth fiftieth sixtieth
seventieth eightieth ninetieth""".split()

# Digits of every script, superscripts, fractions, Roman numeral signs.
SIGNS = "".join(
    re.escape(sign)
    for sign in filter(str.isnumeric, map(chr, range(sys.maxunicode + 1)))
    # Ideographs (Lo) that mean a number are words.
    if unicodedata.category(sign) != "Lo"
)
WITHIN = r"[\w.,:/^+-]"
# Begun at a word's start alone: a search from each of its letters finds nothing else, slowly.
DIGITS = re.compile(rf"(?<!{WITHIN}){WITHIN}*[{SIGNS}]{WITHIN}*|\b(?=[IVXLC]{{2,}}\b)[IVXLC]+\b")
SPELLED = re.compile(rf"\b(?:{'|'.join(UNITS + OTHERS)})(?:s|es|th|ths|fold)?\b", re.IGNORECASE)
# Soft hyphens, joiners and the like: they part a word for a search and not for a reader.
HIDDEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")

TAG = re.compile(r"<[^<>]*>")
# Attributes that somebody reads or hears.
READ = re.compile(
    r"\b(?:alt|title|aria-label|placeholder|name=\"description\" content)=\"([^\"]*)\""
)


def spell(value: int) -> str:
    """Write a small whole number as a word; beyond twenty, where they read better, in digits.

    >>> spell(4), spell(24)
    ('four', '24')
    """
    return UNITS[value] if 0 <= value < len(UNITS) else f"{value:,}"


def masked(text: str, names: Iterable[str]) -> str:
    """Blank every name, so that only other numerals are left to find.

    >>> masked("fp16 ends; fp161 does not", ["fp16"])
    '     ends; fp161 does not'
    """
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda m: " " * len(m.group()), text)
    return text


def _without_tags(markup: str, gap: str) -> str:
    """Replace each tag by `gap`; lines stay lines."""
    return unescape(TAG.sub(lambda tag: gap + "\n" * tag.group().count("\n"), markup))


def numbers(text: str, markup: bool = False) -> list[re.Match[str]]:
    r"""Find every number that a reader meets, and every character that could hide one.

    In HTML (`markup`) a tag's name is no prose, some attributes are, an entity is its character,
    and a tag within a word does not part it.

    >>> [found.group() for found in numbers("<h1>Sev<b>en</b> &frac12;</h1>", markup=True)]
    ['½', '½', 'Seven']
    """
    read = [text]
    if markup:
        attributes = "\n".join(unescape(value) for value in READ.findall(text))
        read = [_without_tags(text, " "), _without_tags(text, ""), attributes]
    return [
        found
        for words in read
        for kind in (DIGITS, SPELLED, HIDDEN)
        for found in kind.finditer(words)
    ]
