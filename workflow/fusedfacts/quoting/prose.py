"""The numbers in a Markdown document's prose: not those of code, formulas, links or names."""

from __future__ import annotations

import re

from fusedfacts.quoting import names, numerals

# Commands, formulas and ids; a formula in a document is evaluated by a test instead.
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?:(?: {4}|\t)[^\n]*\n|\n(?= {4}))+")
INLINE = re.compile(r"`[^`\n]*(?:\n[^`\n]+)?`")
LINK = re.compile(r"\]\([^)\n]*\)|<https?://[^>\n]*>")
# The time at which a scene begins, in a transcript's heading.
CLOCK = re.compile(r"(?<=\()\d+:\d\d(?=\)$)", re.MULTILINE)
# A numeral alone is no formula: code must not hide it.
HAS_FORMULA = re.compile(r"[A-Za-z_^*/=<>(]|\d\s*[-+]\s*\d")


def numbers(text: str) -> list[tuple[int, str]]:
    r"""Line and token of every number with a digit in a document's prose.

    Examples
    --------
    >>> numbers("# Two\n\nIt moves 17 bytes: `4 d n` of them, or `16`.\n\n    4 d (2 n)\n")
    [(3, '17'), (3, '16')]
    """
    for code in (FENCED, INDENTED, INLINE, LINK, CLOCK):
        text = code.sub(_blanked, text)
    listed, phrases = names.read()
    text = numerals.masked(text, [*listed.values(), *phrases])
    return [
        (text.count("\n", 0, found.start()) + 1, found.group().strip(".,:/"))
        for found in numerals.with_digits(text)
    ]


def _blanked(found: re.Match[str]) -> str:
    code = found.group()
    if code.startswith("`") and not code.startswith("```") and not HAS_FORMULA.search(code):
        return code.replace("`", " ")
    return re.sub(r"[^\n]", " ", code)
