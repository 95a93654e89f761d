"""The allow-list: names and years that have a digit in them and are no published number."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fusedfacts.documents import canonical_json, schema

PATH = Path(__file__).parents[2] / "templates" / "names.json"


def read(path: Path = PATH) -> tuple[dict[str, str], list[str]]:
    """Names that templates insert, by key, and phrases that prose may hold as they stand.

    Raises
    ------
    FactsError
        If the list is malformed, or an entry gives no reason.
    """
    mend = "give each entry its text and the reason why it is a name"
    document = canonical_json.read(path)
    schema.validate(document, "names", str(path), mend)
    return (
        {key: entry["text"] for key, entry in document["names"].items()},
        [entry["text"] for entry in document["phrases"]],
    )


@cache
def inserted() -> dict[str, str]:
    """The names that templates insert, by key."""
    return read()[0]


@cache
def phrases() -> tuple[str, ...]:
    """What prose may hold as it stands: phrases, and names with a letter in them.

    A bare year is none: it could as well be a count. It comes with the words around it.
    """
    names, listed = read()
    return (*listed, *(name for name in names.values() if any(c.isalpha() for c in name)))
