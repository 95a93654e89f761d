"""Check that every number in Markdown is quoted from a claim and equal to it, or write it anew.

A quoted number stands between two comments, which no reader sees; a form may follow the id:

    <!-- claim traffic.fused.n4096.d16 -->17,301,504<!-- end -->
    <!-- claim model.heads word -->four<!-- end -->
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from fusedfacts.documents import files, schema
from fusedfacts.errors import ClaimError
from fusedfacts.prose import forms, markdown, marks
from fusedfacts.terminal import reporting

SPAN = re.compile(
    r"<!-- claim (?P<id>[^ ]+)(?: (?P<form>[^ ]+))? -->(?P<text>.*?)<!-- end -->", re.DOTALL
)
OPENING = "<!-- claim "


def span(identifier: str, form: str, text: str) -> str:
    """Write a quoted number as Markdown.

    >>> span("model.heads", "word", "four")
    '<!-- claim model.heads word -->four<!-- end -->'
    """
    return f"<!-- claim {' '.join(filter(None, [identifier, form]))} -->{text}<!-- end -->"


def written(marked: str) -> str:
    """Write marked text as Markdown with spans."""
    return marks.replaced_claims(marked, lambda part: span(*part))


def stale(text: str, claims: forms.Claims, name: str) -> list[str]:
    """Find the spans that do not say what their claims say: a sentence for each.

    >>> stale("<!-- claim a.b -->5<!-- end -->", {"a.b": {"display": "4", "value": 4}}, "README.md")
    ["README.md:1: a.b found '5', expected '4'"]
    """
    found = []
    if text.count(OPENING) != len(SPAN.findall(text)):
        found.append(f"{name}: a span is opened and not ended, expected <!-- end --> after it")
    for quoted in SPAN.finditer(text):
        where = f"{name}:{text.count(chr(10), 0, quoted.start()) + 1}"
        try:
            expected = forms.quote(claims, quoted["id"], quoted["form"] or "")
        except ClaimError as error:
            found.append(f"{where}: {error}")
            continue
        if quoted["text"] != expected:
            found.append(f"{where}: {quoted['id']} found {quoted['text']!r}, expected {expected!r}")
    return found


def unbound(text: str, name: str) -> list[str]:
    """Find the numbers of a document's prose that stand in no span: a sentence for each.

    >>> unbound("It moves 17 bytes, `4 d n` of them.", "README.md")
    ["README.md:1: found the number '17' in no span, expected it to be quoted from a claim"]
    """
    # What a span shows is not prose; a gap of its length keeps lines and places.
    outside = SPAN.sub(lambda quoted: re.sub(r"[^\n]", " ", quoted.group()), text)
    return [
        f"{name}:{line}: found the number {number!r} in no span, expected it to be quoted from a"
        " claim"
        for line, number in markdown.numbers(outside)
    ]


def corrected(text: str, claims: forms.Claims) -> str:
    """Let every span say what its claim says, where there is such a claim."""

    def replace(quoted: re.Match[str]) -> str:
        try:
            right = forms.quote(claims, quoted["id"], quoted["form"] or "")
        except ClaimError:
            return quoted.group()
        return span(quoted["id"], quoted["form"] or "", right)

    return SPAN.sub(replace, text)


def main(arguments: list[str]) -> None:
    """Check the files, or correct them first with --write."""
    looks: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "description": __doc__}
    parser = argparse.ArgumentParser(prog="python -m fusedfacts.prose.spans", **looks)
    parser.add_argument("--write", action="store_true", help="write the numbers anew first")
    parser.add_argument("facts", type=Path, metavar="facts.json", help="whose claims are quoted")
    words = "a Markdown document that quotes them"
    parser.add_argument("documents", type=Path, nargs="+", metavar="FILE.md", help=words)
    given = parser.parse_args(arguments)
    facts = schema.read(given.facts, "facts", "rebuild it with `make facts`")
    claims = forms.by_id(facts)
    problems: list[str] = []
    for path in given.documents:
        text = files.read_bytes(path, "name an existing file").decode("utf-8")
        if given.write and corrected(text, claims) != text:
            text = corrected(text, claims)
            files.write_bytes(path, text.encode())
            print(f"corrected {path}")
        problems += stale(text, claims, str(path)) + unbound(text, str(path))
    if problems:
        raise ClaimError(
            "; ".join(problems)
            + "; mend known spans with `make spans`, put a span around other numbers, or name what"
            " is no published number in workflow/templates/names.json"
        )


if __name__ == "__main__":
    with reporting():
        main(sys.argv[1:])
