"""The allow-list of names and years with a digit in them, and prose that may hold no other."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from fusedfacts.claims.claim import PROJECT
from fusedfacts.documents import schema
from fusedfacts.errors import ClaimError
from fusedfacts.prose import marks, numerals

PATH = Path(__file__).parents[2] / "templates" / "names.json"
HINT = "quote the number from a claim, or put the name into workflow/templates/names.json"


@cache
def read(path: Path = PATH) -> tuple[dict[str, str], list[str]]:
    """Read the names that templates insert, by key, and what prose may hold as it stands.

    That is phrases, and names with a letter in them: a bare year could as well be a count, and
    comes with the words around it.
    """
    document = schema.read(
        path, "names", "give each entry its text and the reason why it is a name"
    )
    names = {key: entry["text"] for key, entry in document["names"].items()}
    phrases = [entry["text"] for entry in document["phrases"]]
    return names, [*phrases, *(name for name in names.values() if not name.isdecimal())]


def only_names(text: str, where: str) -> str:
    """Mark prose of the facts as one name; refuse it if it holds a number that is none.

    >>> marks.plain(only_names("the fp16 counts", "left_out"))
    'the fp16 counts'
    """
    _, phrases = read()
    for found in numerals.numbers(numerals.masked(text, phrases)):
        raise ClaimError(
            f"{where}: found the number {found.group()!r} in {text!r}, expected names only; {HINT}"
        )
    return marks.name(where, text)


def sources(facts: dict[str, Any]) -> list[dict[str, str]]:
    """Mark each source of the facts, with its address if it lies outside this project."""
    found = []
    for source in facts["sources"]:
        address = "" if source["id"] == PROJECT else f" ({source['id']})"
        words = {key: source[key] for key in ("title", "used_for", "does_not_prove")}
        shown = {**words, "address": address}
        found.append({key: only_names(text, "sources") for key, text in shown.items()})
    return found


def left_out(facts: dict[str, Any]) -> list[str]:
    """Mark the sentences that say what the numbers do not."""
    return [only_names(sentence, "left_out") for sentence in facts["left_out"]]
