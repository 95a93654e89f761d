"""The published folder: replaced file by file, each whole at any moment, the manifest last.

Device reports that somebody thought worth keeping lie in its `devices/`. They are observed, so no
run writes them; publishing holds them against their schema and lists their hashes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fusedfacts import canonical_json, files, schema
from fusedfacts.device import consistent
from fusedfacts.errors import ClaimError, FactsError

MANIFEST = "manifest.json"
DEVICES = "devices"
MEND = "publish again with `make facts`"


def publish(facts: Path, folder: Path) -> str:
    """Replace the published facts, then the manifest; the manifest's hash is returned.

    Raises
    ------
    FactsError
        If the facts do not fit their schema: then nothing is replaced.
    """
    document = canonical_json.read(facts)
    schema.validate(document, "facts", str(facts), MEND)
    if document["timings"] is not None:
        raise FactsError(
            f"{facts}: timings found, expected null in what is published; run without time_kernels"
        )
    content = {"facts.json": facts.read_bytes()}
    for name, data in content.items():
        files.write_bytes(folder / name, data)
    content |= kept_reports(folder)
    manifest = {"files": {name: files.sha256(data) for name, data in content.items()}}
    text = canonical_json.dumps(manifest).encode()
    files.write_bytes(folder / MANIFEST, text)
    return files.sha256(text)


def kept_reports(folder: Path) -> dict[str, bytes]:
    """The device reports beside the facts, by name within the folder.

    Raises
    ------
    FactsError
        If one does not fit its schema.
    """
    found = {}
    for path in sorted((folder / DEVICES).glob("*.json")):
        mend = f"delete it, or copy it again from results/{DEVICES}"
        document = canonical_json.read(path)
        schema.validate(document, "device", str(path), mend)
        consistent.check(document, str(path))
        found[f"{DEVICES}/{path.name}"] = files.read_bytes(path, mend)
    return found


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
        if Path(name).name != name.removeprefix(f"{DEVICES}/"):
            raise FactsError(f"{folder / MANIFEST}: {name!r} is not a plain file name; {MEND}")
        found = files.sha256(files.read_bytes(folder / name, MEND))
        if found != expected:
            raise ClaimError(
                f"{folder / name}: sha256 found {found}, expected {expected} as the manifest"
                f" says: it was edited, or a run was killed while publishing; {MEND}"
            )
    unlisted = sorted(set(kept_reports(folder)) - set(listed))
    if unlisted:
        raise ClaimError(
            f"{folder / unlisted[0]}: found a device report that {MANIFEST} does not list, expected"
            f" its hash there; {MEND}"
        )
    document: dict[str, Any] = canonical_json.read(folder / "facts.json")
    schema.validate(document, "facts", str(folder / "facts.json"), MEND)
    return document


def drop_stale_stamp(folder: Path, stamp: Path) -> None:
    """Delete the stamp of the last run if the published folder is not what that run left.

    The workflow calls this as it starts, so that an edit under the folder, which Snakemake does
    not watch, makes its last rule run.
    """
    if not stamp.exists():
        return
    try:
        check(folder)
        left = stamp.read_text(encoding="utf-8").strip()
        intact = files.sha256((folder / MANIFEST).read_bytes()) == left
    except FactsError:
        intact = False
    if not intact:
        stamp.unlink(missing_ok=True)
