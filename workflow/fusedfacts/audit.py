"""Hold everything published against a fresh computation, before anything is replaced.

    python -m fusedfacts.audit media/school/fused results/manifest.json

Exit code 0 when they are the same bytes, 1 when a published number does not follow, 2 when a
file cannot be read.
"""

from __future__ import annotations

import sys
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any

from fusedfacts import canonical_json, files, publish
from fusedfacts.cli import reporting
from fusedfacts.errors import ClaimError, FactsError

ACCEPT = "if the computed values are right, publish them with `make facts` and commit"
QUOTED = 120  # characters of a value that the message quotes
SHOWN = 5  # differences that the message names


def differences(published: Any, computed: Any, where: str = "") -> list[str]:
    """Every leaf where two documents differ, as `path: published .., computed ..`.

    Examples
    --------
    >>> differences({"a": [1, 2]}, {"a": [1, 3]})
    ['a[1]: published 2, computed 3']
    """
    if type(published) is type(computed) is dict:
        found = []
        for key in sorted({*published, *computed}):
            path = f"{where}.{key}".lstrip(".")
            if key not in published or key not in computed:
                side = "computed" if key in computed else "published"
                found.append(f"{path}: only {side}")
            else:
                found += differences(published[key], computed[key], path)
        return found
    if type(published) is type(computed) is list and len(published) == len(computed):
        return [
            line
            for i, (one, other) in enumerate(zip(published, computed, strict=True))
            for line in differences(one, other, f"{where}[{i}]")
        ]
    if type(published) is type(computed) and published == computed:
        return []
    return [f"{where}: published {_short(published)}, computed {_short(computed)}"]


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"{len(value)} items"
    text = repr(value)
    return text if len(text) <= QUOTED else text[:QUOTED] + "..."


def first_difference(published: str, computed: str) -> str:
    r"""Where two texts part, as `line 3: published .., computed ..`.

    Examples
    --------
    >>> first_difference("a\nb\n", "a\nc\n")
    "line 2: published 'b', computed 'c'"
    """
    pairs = zip_longest(published.splitlines(), computed.splitlines())
    for number, (one, other) in enumerate(pairs, 1):
        if one != other:
            # A paragraph is one line: begin shortly before the place where the two part.
            both = zip(one or "", other or "", strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
            begin = max(0, same - QUOTED // 4)
            one, other = (line if line is None else line[begin:] for line in (one, other))
            return f"line {number}: published {_short(one)}, computed {_short(other)}"
    return "same lines, other line ends"


def audit(folder: Path, built: Path) -> int:
    """The number of claims that were found to follow.

    Parameters
    ----------
    folder : Path
        What is published.
    built : Path
        The manifest of a fresh run that published nothing; its files lie beside it.

    Raises
    ------
    ClaimError
        Naming the first differences.
    """
    fresh = canonical_json.read(built.parent / publish.FACTS)
    found = differences(canonical_json.read(folder / publish.FACTS), fresh)
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise ClaimError(f"{folder / publish.FACTS}: {'; '.join(found[:SHOWN])}{more}; {ACCEPT}")
    expected = publish.listed(built)
    for name in sorted(expected):
        published = files.read_bytes(folder / name, publish.MEND)
        computed = files.read_bytes(built.parent / name, publish.MEND)
        if published != computed:
            where = first_difference(
                *(data.decode("utf-8", errors="replace") for data in (published, computed))
            )
            raise ClaimError(f"{folder / name}: {where}; {ACCEPT}")
    publish.check(folder)
    beside = set(publish.listed(folder / publish.MANIFEST)) ^ set(expected)
    wrong = sorted(name for name in beside if not name.startswith(f"{publish.DEVICES}/"))
    if wrong:
        raise ClaimError(
            f"{folder / publish.MANIFEST}: {wrong[0]} is listed on one side only, expected what a"
            f" fresh run lists; {publish.MEND}"
        )
    listed = {*publish.listed(folder / publish.MANIFEST), publish.MANIFEST}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in listed:
            raise ClaimError(
                f"{path}: found a file that {publish.MANIFEST} does not list, expected only what a"
                " run publishes; delete it"
            )
    return len(fresh["claims"])


def main(arguments: list[str]) -> None:
    """Run the audit on a published folder and the manifest of a fresh run."""
    if len(arguments) != 2:
        raise FactsError(
            f"audit: found {' '.join(arguments) or 'nothing'}, expected a published folder and the"
            " manifest of a fresh run; run `make audit`"
        )
    folder, built = (Path(argument) for argument in arguments)
    claims = audit(folder, built)
    print(f"{folder}: all {claims} claims follow from the source, and all files from the claims")


if __name__ == "__main__":
    with reporting():
        main(sys.argv[1:])
