"""The numbers that a reader of plain text or of HTML would meet."""

from __future__ import annotations

import re
from html import unescape

from fusedfacts.prose import numerals

TAG = re.compile(r"<[^<>]*>")
# Attributes that somebody reads or hears.
READ = re.compile(
    r"\b(?:alt|title|aria-label|placeholder|name=\"description\" content)=\"([^\"]*)\""
)
# Soft hyphens, joiners and the like: they part a word for a search and not for a reader.
HIDDEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


def _without_tags(markup: str, gap: str) -> str:
    """The text between tags, each leaving `gap`; lines stay lines."""
    text = TAG.sub(lambda tag: gap + "\n" * tag.group().count("\n"), markup)
    return unescape(text)


def numbers(text: str, markup: bool = False) -> list[re.Match[str]]:
    r"""Every number in a text, in digits or as a word, and every character that could hide one.

    Parameters
    ----------
    text : str
    markup : bool
        Whether it is HTML: a tag's name is no prose, some attributes are, an entity is its
        character, and a tag within a word does not part it.

    Examples
    --------
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
        for found in (
            *numerals.with_digits(words),
            *numerals.spelled(words),
            *HIDDEN.finditer(words),
        )
    ]
