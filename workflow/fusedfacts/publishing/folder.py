"""The published folder: replaced file by file, each whole at any moment, the manifest last.

One run at a time replaces it, and nobody reads it meanwhile (see `locking`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from fusedfacts.documents import canonical_json, files, locking, replacement, schema
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import device_reports, provenance

FACTS = "facts.json"
MANIFEST = provenance.MANIFEST
SUMS = "SHA256SUMS"
DEVICES = device_reports.DEVICES
# What publishing writes about the files, so that no file may be called so.
WRITTEN = (MANIFEST, SUMS, provenance.CRATE)
# The same in manifest.schema.json: nothing that a shell, a URL or `sha256sum` would read otherwise.
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*")
MEND = "publish again with `make facts`"


def manifest(
    built: Mapping[str, Path],
    inputs: Mapping[str, Path],
    config: Mapping[str, Any],
    crate: Path | None = None,
) -> dict[str, Any]:
    """The hash of every file that is to be published, and of everything that it came from.

    Parameters
    ----------
    built : Mapping[str, Path]
        What a run built, by name in the published folder.
    inputs : Mapping[str, Path]
        What it read, by path from the repository's root (see `provenance.inputs`).
    config : Mapping[str, Any]
        Its settings (see `provenance.effective`).
    crate : Path, optional
        The crate that tells of the run, if one does (see `crate.placed`).

    Raises
    ------
    FactsError
        If a file cannot be read, or cannot be published under its name.
    """
    require_names(built)
    return {
        "files": _hashes(built),
        "inputs": _hashes(inputs),
        "config": dict(config),
        **_hashes({"crate": crate} if crate else {}),
    }


def _hashes(paths: Mapping[str, Path]) -> dict[str, str]:
    return {name: files.sha256(files.read_bytes(path, MEND)) for name, path in paths.items()}


def require_names(names: Iterable[str]) -> None:
    """Stop if a file cannot be published under its name.

    Raises
    ------
    FactsError
        If a name has other characters than `SHA256SUMS` and every file system take as they are,
        leads out of the folder, is hidden, or is one of those that publishing itself writes.
    """
    for name in names:
        if not NAME.fullmatch(name) or name in WRITTEN:
            raise FactsError(
                f"{name!r} is not a plain file name: expected letters, digits, `_`, `-` and `.`"
                f" between slashes, no part that begins with a point, and none of"
                f" {', '.join(WRITTEN)}; rename the file"
            )


def read(path: Path) -> dict[str, Any]:
    """A manifest.

    Raises
    ------
    FactsError
        If it is none, or a name leads out of the folder.
    """
    return _of_schema(canonical_json.read(path), str(path))


def parse(text: str, name: str) -> dict[str, Any]:
    """A manifest from its text; `name` is what messages call it.

    Raises
    ------
    FactsError
        As `read` does.
    """
    return _of_schema(canonical_json.loads(text, name), name)


def _of_schema(document: dict[str, Any], where: str) -> dict[str, Any]:
    schema.validate(document, "manifest", where, MEND)
    try:
        require_names(document["files"])
    except FactsError as fault:
        raise FactsError(f"{where}: {fault}, or {MEND}") from None
    for name in document["inputs"]:
        if ".." in PurePosixPath(name).parts:
            raise FactsError(
                f"{where}: found the input {name!r}, expected a path in the repository; {MEND}"
            )
    return document


def listed(path: Path) -> dict[str, str]:
    """The hashes of the published files that a manifest lists, by name."""
    found: dict[str, str] = read(path)["files"]
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
        If a file is not the one that was built, the facts do not fit their schema, the folder or
        its disk takes no more, or another run is at it: then nothing is replaced.
    """
    document = read(built)
    content = _as_built(built, provenance.hashes(document))
    with files.writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locking.exclusive(folder):
        before = _once_published(folder)
        replacement.recover(folder, MANIFEST, before, _made)
        reports = device_reports.reports(folder)
        require_names(reports)
        document["files"] |= {name: files.sha256(data) for name, data in reports.items()}
        content[SUMS] = provenance.sums(document).encode()
        content[MANIFEST] = canonical_json.dumps(document).encode()
        replacement.replace(folder, content, MANIFEST, before - set(content) - set(reports))
    return files.sha256(content[MANIFEST])


def _as_built(built: Path, hashes: Mapping[str, str]) -> dict[str, bytes]:
    """The files beside a run's manifest, if they are still those that it lists and may be shown."""
    content = {name: files.read_bytes(built.parent / name, MEND) for name in sorted(hashes)}
    changed = [name for name, data in content.items() if files.sha256(data) != hashes[name]]
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
    return content


def _once_published(folder: Path) -> set[str]:
    """What the manifest in a folder lists; nothing where there is none, or a spoiled one of ours.

    Raises
    ------
    FactsError
        If the manifest is somebody else's.
    """
    path = folder / MANIFEST
    try:
        return set(provenance.hashes(read(path))) if path.exists() else set()
    except FactsError:
        if (folder / FACTS).exists():
            return set()
        raise FactsError(
            f"{path}: found a manifest that is not of this pipeline, expected a folder of its own;"
            " name another as `publish_to` in config.yaml"
        ) from None


def _made(path: Path) -> dict[str, str]:
    """The hashes of the files that a run makes, by name: a manifest's but for device reports."""
    hashes = provenance.hashes(read(path))
    return {name: hashes[name] for name in hashes if not name.startswith(f"{DEVICES}/")}


def check(folder: Path) -> dict[str, Any]:
    """The published facts, if every file is the one that the manifest names.

    Raises
    ------
    FactsError
        If a file is missing or malformed, or a run is replacing the folder for too long.
    ClaimError
        If a file is another than the manifest's: an edit, or a run that was killed midway; or if
        such a run left a temporary, for what else it left might be in no manifest.
    """
    with locking.shared(folder):
        return _checked(folder)


def _checked(folder: Path) -> dict[str, Any]:
    manifest = read(folder / MANIFEST)
    hashes = provenance.hashes(manifest)
    sums = files.sha256(provenance.sums(manifest).encode())
    for name, digest in [*sorted(hashes.items()), (SUMS, sums)]:
        found = files.sha256(files.read_bytes(folder / name, MEND))
        if found != digest:
            raise ClaimError(
                f"{folder / name}: sha256 found {found}, expected {digest} as the manifest says:"
                f" it was edited, or a run was killed while publishing; {MEND}"
            )
    left = files.temporaries(folder)
    if left:
        raise ClaimError(
            f"{left[0]}: found what a run left that was killed while publishing, expected only what"
            f" {MANIFEST} lists; {MEND}"
        )
    unlisted = sorted(set(device_reports.reports(folder)) - set(hashes))
    if unlisted:
        raise ClaimError(
            f"{folder / unlisted[0]}: found a device report that {MANIFEST} does not list, expected"
            f" its hash there; {MEND}"
        )
    document: dict[str, Any] = canonical_json.read(folder / FACTS)
    schema.validate(document, "facts", str(folder / FACTS), MEND)
    return document
