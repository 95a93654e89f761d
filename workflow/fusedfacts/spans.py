"""Numbers in Markdown that are quoted from claims, checked and mended by the claims' own display.

A quoted number stands between two comments, which no reader sees:

    <!-- claim traffic.fused.n4096.d16 -->17,301,504<!-- end -->

    python -m fusedfacts.spans [--write] facts.json FILE.md ...
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from fusedfacts import canonical_json, files
from fusedfacts.cli import reporting
from fusedfacts.errors import ClaimError

SPAN = re.compile(r"<!-- claim (?P<id>[^ ]+) -->(?P<text>.*?)<!-- end -->", re.DOTALL)
OPENING = "<!-- claim "


def displays(facts: dict[str, Any]) -> dict[str, str]:
    """What each claim shows, by id."""
    return {claim["id"]: claim["display"] for claim in facts["claims"]}


def stale(text: str, shown: dict[str, str], name: str) -> list[str]:
    """A sentence for each span that does not say what its claim shows.

    Examples
    --------
    >>> stale("<!-- claim a.b -->5<!-- end -->", {"a.b": "4"}, "README.md")
    ["README.md:1: a.b found '5', expected '4'"]
    """
    found = []
    if text.count(OPENING) != len(SPAN.findall(text)):
        found.append(f"{name}: a span is opened and not ended, expected <!-- end --> after it")
    for span in SPAN.finditer(text):
        line = text.count("\n", 0, span.start()) + 1
        identifier, quoted = span["id"], span["text"]
        if identifier not in shown:
            found.append(f"{name}:{line}: found no claim {identifier}, expected one that exists")
        elif quoted != shown[identifier]:
            found.append(
                f"{name}:{line}: {identifier} found {quoted!r}, expected {shown[identifier]!r}"
            )
    return found


def mended(text: str, shown: dict[str, str]) -> str:
    """The text with every known span saying what its claim shows."""

    def replace(span: re.Match[str]) -> str:
        identifier = span["id"]
        return f"<!-- claim {identifier} -->{shown.get(identifier, span['text'])}<!-- end -->"

    return SPAN.sub(replace, text)


def main(arguments: list[str]) -> None:
    """Check the files, or mend them first with --write."""
    write = "--write" in arguments
    facts, *documents = (Path(a) for a in arguments if a != "--write")
    shown = displays(canonical_json.read(facts))
    problems: list[str] = []
    for path in documents:
        text = files.read_bytes(path, "name an existing file").decode("utf-8")
        if write and mended(text, shown) != text:
            text = mended(text, shown)
            files.write_bytes(path, text.encode())
            print(f"mended {path}")
        problems += stale(text, shown, str(path))
    if problems:
        raise ClaimError("; ".join(problems) + "; mend known spans with `make spans`")


if __name__ == "__main__":
    with reporting():
        main(sys.argv[1:])
