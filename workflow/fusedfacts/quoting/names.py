"""The allow-list: names and years that have a digit in them and are no published number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fusedfacts import canonical_json
from fusedfacts.errors import FactsError

PATH = Path(__file__).parents[2] / "templates" / "names.json"


def read(path: Path = PATH) -> tuple[dict[str, str], list[str]]:
    """Names that templates insert, by key, and phrases that documents may hold as they stand.

    Raises
    ------
    FactsError
        If the list is malformed, or an entry gives no reason.
    """
    document = canonical_json.read(path)
    mend = "give each entry its text and the reason why it is a name"
    if not isinstance(document, dict) or set(document) != {"names", "phrases"}:
        raise FactsError(f"{path}: expected `names` and `phrases`; {mend}")
    return (
        {
            key: _text(entry, f"{path}: names.{key}", mend)
            for key, entry in document["names"].items()
        },
        [
            _text(entry, f"{path}: phrases[{i}]", mend)
            for i, entry in enumerate(document["phrases"])
        ],
    )


def _text(entry: Any, where: str, mend: str) -> str:
    if not isinstance(entry, dict) or not all(entry.get(key) for key in ("text", "why")):
        raise FactsError(f"{where}: expected a text and a reason; {mend}")
    return str(entry["text"])
