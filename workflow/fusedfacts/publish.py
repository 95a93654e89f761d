"""The published folder: replaced file by file, each whole at any moment, the manifest last.

Device reports that somebody thought worth keeping lie in its `devices/`. They are observed, so no
run writes them; publishing holds them against their schema and lists their hashes.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

from fusedfacts import canonical_json, files, schema
from fusedfacts.device import consistent
from fusedfacts.errors import ClaimError, FactsError

FACTS = "facts.json"
MANIFEST = "manifest.json"
DEVICES = "devices"
MEND = "publish again with `make facts`"


def folder_beside(stamp: Path, publish_to: str) -> Path:
    """The folder that a run publishes to: a relative one lies beside the run's `results/`.

    Where another workflow imports this one under a prefix, the stamp carries the prefix.

    >>> folder_beside(Path("results/published.ok"), "out").as_posix()
    'out'
    >>> folder_beside(Path("second/results/published.ok"), "out").as_posix()
    'second/out'
    """
    return stamp.parents[1] / publish_to


def manifest(built: dict[str, Path]) -> dict[str, Any]:
    """The hash of every file, by its name in the published folder."""
    return {"files": {name: files.sha256(files.read_bytes(p, MEND)) for name, p in built.items()}}


def listed(path: Path) -> dict[str, str]:
    """The hashes that a manifest lists, by name.

    Raises
    ------
    FactsError
        If it is no manifest, or a name leads out of the folder.
    """
    document = canonical_json.read(path)
    found = document.get("files") if isinstance(document, dict) else None
    if not isinstance(found, dict) or FACTS not in found:
        raise FactsError(f"{path}: expected hashes of the published files; {MEND}")
    for name in found:
        pure = PurePosixPath(name)
        if (
            name == MANIFEST
            or pure.is_absolute()
            or ".." in pure.parts
            or "\\" in name
            or str(pure) != name
        ):
            raise FactsError(f"{path}: {name!r} is not a plain file name; {MEND}")
    return found


def publish(built: Path, folder: Path) -> str:
    """Replace the published files, then the manifest; the manifest's hash is returned.

    Parameters
    ----------
    built : Path
        The manifest of a run; the files that it lists lie beside it.
    folder : Path
        Where to publish. What an earlier manifest lists and this one does not is deleted.

    Raises
    ------
    FactsError
        If the facts do not fit their schema: then nothing is replaced.
    """
    names = listed(built)
    content = {name: files.read_bytes(built.parent / name, MEND) for name in sorted(names)}
    changed = [name for name, data in content.items() if files.sha256(data) != names[name]]
    if changed:
        raise FactsError(
            f"{built.parent / changed[0]}: changed since {built} was written, expected the file"
            f" that was built; {MEND}"
        )
    facts = built.parent / FACTS
    document = canonical_json.read(facts)
    schema.validate(document, "facts", str(facts), MEND)
    if document["timings"] is not None:
        raise FactsError(
            f"{facts}: timings found, expected null in what is published; run without time_kernels"
        )
    before = _once_published(folder)
    for name, data in content.items():
        files.write_bytes(folder / name, data)
    content |= kept_reports(folder)
    text = canonical_json.dumps(
        {"files": {name: files.sha256(data) for name, data in content.items()}}
    ).encode()
    files.write_bytes(folder / MANIFEST, text)
    for name in before - set(content):
        if (folder / name).is_file():
            (folder / name).unlink()
    return files.sha256(text)


def _once_published(folder: Path) -> set[str]:
    """What the manifest in a folder lists; nothing where there is none, or a spoiled one of ours.

    Raises
    ------
    FactsError
        If the manifest is somebody else's.
    """
    path = folder / MANIFEST
    try:
        return set(listed(path)) if path.exists() else set()
    except FactsError:
        if (folder / FACTS).exists():
            return set()
        raise FactsError(
            f"{path}: found a manifest that is not of this pipeline, expected a folder of its own;"
            " name another as `publish_to` in config.yaml"
        ) from None


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
    names = listed(folder / MANIFEST)
    for name, expected in sorted(names.items()):
        found = files.sha256(files.read_bytes(folder / name, MEND))
        if found != expected:
            raise ClaimError(
                f"{folder / name}: sha256 found {found}, expected {expected} as the manifest"
                f" says: it was edited, or a run was killed while publishing; {MEND}"
            )
    unlisted = sorted(set(kept_reports(folder)) - set(names))
    if unlisted:
        raise ClaimError(
            f"{folder / unlisted[0]}: found a device report that {MANIFEST} does not list, expected"
            f" its hash there; {MEND}"
        )
    document: dict[str, Any] = canonical_json.read(folder / FACTS)
    schema.validate(document, "facts", str(folder / FACTS), MEND)
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
