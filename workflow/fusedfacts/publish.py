"""The published folder: replaced file by file, each whole at any moment, the manifest last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fusedfacts import canonical_json, files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.facts.assemble import validate

MANIFEST = "manifest.json"
MEND = "publish again with `make facts`"


def publish(facts: Path, folder: Path) -> str:
    """Replace the published facts, then the manifest; the manifest's hash is returned.

    Raises
    ------
    FactsError
        If the facts do not fit their schema: then nothing is replaced.
    """
    document = canonical_json.read(facts)
    validate(document, str(facts))
    if document["timings"] is not None:
        raise FactsError(
            f"{facts}: timings found, expected null in what is published; run without time_kernels"
        )
    content = {"facts.json": facts.read_bytes()}
    for name, data in content.items():
        files.write_bytes(folder / name, data)
    manifest = {"files": {name: files.sha256(data) for name, data in content.items()}}
    text = canonical_json.dumps(manifest).encode()
    files.write_bytes(folder / MANIFEST, text)
    return files.sha256(text)


def check(folder: Path) -> dict[str, Any]:
    """The published facts, if every file is the one that the manifest names.

    Raises
    ------
    FactsError
        If a file is missing or malformed.
    ClaimError
        If a file is another than the manifest's: an edit, or a run that was killed midway.
    """
    manifest = canonical_json.read(folder / MANIFEST)
    listed = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(listed, dict) or "facts.json" not in listed:
        raise FactsError(f"{folder / MANIFEST}: expected hashes of the published files; {MEND}")
    for name, expected in sorted(listed.items()):
        if Path(name).name != name:
            raise FactsError(f"{folder / MANIFEST}: {name!r} is not a plain file name; {MEND}")
        found = files.sha256(files.read_bytes(folder / name, MEND))
        if found != expected:
            raise ClaimError(
                f"{folder / name}: sha256 found {found}, expected {expected} as the manifest"
                f" says: it was edited, or a run was killed while publishing; {MEND}"
            )
    document: dict[str, Any] = canonical_json.read(folder / "facts.json")
    validate(document, str(folder / "facts.json"))
    return document


def state(folder: Path, stamp: Path) -> str:
    """Whether the published folder is what the last run left: "intact" or "changed".

    The workflow hands this to its last rule, so that an edit under the folder makes it run.
    """
    if not stamp.exists():
        return "intact"
    try:
        check(folder)
        left = stamp.read_text(encoding="utf-8").strip()
        same = files.sha256((folder / MANIFEST).read_bytes()) == left
    except FactsError:
        same = False
    return "intact" if same else "changed"
