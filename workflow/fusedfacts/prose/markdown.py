"""The numbers in a Markdown document's prose: not those of code, formulas, links or names."""

from __future__ import annotations

import re

from fusedfacts.prose import names, numerals

FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`[^`\n]*(?:\n[^`\n]+)?`")
# Only behind a text in brackets is what stands in parentheses an address.
LINK = re.compile(r"(\[[^\[\]]*\])\([^)\s]*\)|<https?://[^>\s]*>")
# How wide a picture stands on the page, which is no number that a reader sees.
LAYOUT = re.compile(r'(<img [^<>]*)\bwidth="\d+"')
# The time at which a scene begins, in a transcript's heading.
CLOCK = re.compile(r"^(## .*\()\d+:\d\d(?=\)$)", re.MULTILINE)
# Code and formulas are free (a test evaluates the formulas), but a count does not hide in them.
UNIT = r"(?:[KMGT]i?B|B|bytes?|times|of|words?|rows?|heads?|%)(?!\w)"
COUNT = rf"\d{{1,3}}(?:,\d{{3}})+|\b\d+(?:\.\d+)?\s?x(?!\w)|\b\d[\d.]*\s*{UNIT}"
NO_FORMULA = re.compile(r"[\d.,:+-]+")


def numbers(text: str) -> list[tuple[int, str]]:
    r"""Find every number with a digit in a document's prose: its line and the token.

    >>> numbers("# Two\n\nIt moves 17 bytes: `4 d n` of them, or `16`.\n```\n4 d (2 n)\n```\n")
    [(3, '17'), (3, '16')]
    """
    for code in (FENCED, INLINE):
        text = code.sub(lambda found: _counts_only(found.group()), text)
    _, phrases = names.read()
    text = numerals.masked(CLOCK.sub(r"\1", LAYOUT.sub(r"\1", LINK.sub(r"\1", text))), phrases)
    return [
        (text.count("\n", 0, found.start()) + 1, found.group().strip(".,:/"))
        for found in numerals.DIGITS.finditer(text)
    ]


def _counts_only(code: str) -> str:
    """Blank all code but what is a count rather than a formula."""
    bare = code.replace("`", " ")
    if NO_FORMULA.fullmatch(bare.strip()):
        return bare
    return re.sub(rf"({COUNT})|[^\n]", lambda found: found[1] or " ", code)
