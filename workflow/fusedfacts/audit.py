"""Hold the published facts against a fresh computation, before anything is replaced.

    python -m fusedfacts.audit media/school/fused results/facts.json

Exit code 0 when they are the same bytes, 1 when a published number does not follow, 2 when a
file cannot be read.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fusedfacts import canonical_json, publish
from fusedfacts.cli import reporting
from fusedfacts.errors import ClaimError

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
    return repr(value)


def audit(folder: Path, computed: Path) -> int:
    """The number of claims that were found to follow.

    Raises
    ------
    ClaimError
        Naming the first differences.
    """
    published = canonical_json.read(folder / "facts.json")
    fresh = canonical_json.read(computed)
    found = differences(published, fresh)
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise ClaimError(
            f"{folder / 'facts.json'}: {'; '.join(found[:SHOWN])}{more}; if the computed values"
            " are right, publish them with `make facts` and commit"
        )
    publish.check(folder)
    if (folder / "facts.json").read_bytes() != computed.read_bytes():
        raise ClaimError(f"{folder / 'facts.json'}: same values, other bytes; {publish.MEND}")
    return len(fresh["claims"])


def main(arguments: list[str]) -> None:
    """Run the audit on a published folder and a fresh facts.json."""
    folder, computed = (Path(argument) for argument in arguments)
    claims = audit(folder, computed)
    print(f"{folder / 'facts.json'}: all {claims} published claims follow from the source")


if __name__ == "__main__":
    with reporting():
        main(sys.argv[1:])
