"""The allow-list of names and years with a digit in them, and prose that may hold no other."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from fusedfacts.claims.claim import PROJECT
from fusedfacts.documents import canonical_json, schema
from fusedfacts.errors import ClaimError
from fusedfacts.prose import marks, numerals

PATH = Path(__file__).parents[2] / "templates" / "names.json"
HINT = "quote the number from a claim, or put the name into workflow/templates/names.json"


def read(path: Path = PATH) -> tuple[dict[str, str], list[str]]:
    """Read the names that templates insert, by key, and the phrases that prose may hold."""
    document = canonical_json.read(path)
    hint = "give each entry its text and the reason why it is a name"
    schema.validate(document, "names", str(path), hint)
    return (
        {key: entry["text"] for key, entry in document["names"].items()},
        [entry["text"] for entry in document["phrases"]],
    )


@cache
def inserted() -> dict[str, str]:
    """Read the names that templates insert, by key."""
    return read()[0]


@cache
def phrases() -> tuple[str, ...]:
    """List what prose may hold as it stands: phrases, and names with a letter in them.

    A bare year is none: it could as well be a count. It comes with the words around it.
    """
    names, listed = read()
    return (*listed, *(name for name in names.values() if any(c.isalpha() for c in name)))


def only_names(text: str, where: str) -> str:
    """Mark prose of the facts as one name; refuse it if it holds a number that is none.

    >>> marks.plain(only_names("the fp16 counts", "left_out"))
    'the fp16 counts'
    """
    for found in numerals.numbers(numerals.masked(text, phrases())):
        raise ClaimError(
            f"{where}: found the number {found.group()!r} in {text!r}, expected names only; {HINT}"
        )
    return marks.name(where, text)


def sources(facts: dict[str, Any]) -> list[dict[str, str]]:
    """Mark each source of the facts, with its address if it lies outside this project."""
    return [
        {
            **{
                key: only_names(source[key], f"sources: {source['id']}")
                for key in ("title", "used_for", "does_not_prove")
            },
            "address": ""
            if source["id"] == PROJECT
            else only_names(f" ({source['id']})", "sources"),
        }
        for source in facts["sources"]
    ]


def left_out(facts: dict[str, Any]) -> list[str]:
    """Mark the sentences that say what the numbers do not."""
    return [only_names(sentence, "left_out") for sentence in facts["left_out"]]
