"""The published folder: replaced file by file, each whole at any moment, the manifest last.

All is written beside what it replaces before anything moves, so that a full disk changes nothing.
A run that is killed while it moves leaves a mixture, which `check` and the audit name; the next run
replaces it. One run at a time replaces the folder, and nobody reads it meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import manifest as manifests
from fusedfacts.publishing.manifest import CRATE, DEVICES, FACTS, MANIFEST, MEND, SUMS


def publish(built: Path, folder: Path, crate_of: Path | None = None) -> str:
    """Replace the published files, then the manifest; the manifest's hash is returned.

    Parameters
    ----------
    built : Path
        The manifest of a run; the files that it lists lie beside it.
    folder : Path
        Where to publish. What an earlier manifest lists and this one does not is deleted.
    crate_of : Path, optional
        The repository, if the run's crate describes it: the crate is put there, last of all.

    Raises
    ------
    FactsError
        If a file is not the one that was built, the facts do not fit their schema, the folder or
        its disk takes no more, or another run is at it: then nothing is replaced.
    """
    document = manifests.read(built)
    content = _as_built(built, document["files"])
    crate = _as_built(built, {CRATE: document.get("crate")})[CRATE] if crate_of else b""
    with files.writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with files.locked(folder, exclusive=True):
        before = _once_published(folder)
        _delete(folder, files.temporaries(folder))
        reports = _device_reports(folder)
        manifests.require_names(reports)
        document["files"] |= {name: files.sha256(data) for name, data in reports.items()}
        content[SUMS] = manifests.sums(document).encode()
        content[MANIFEST] = canonical_json.dumps(document).encode()
        _replace(folder, content, before - set(content) - set(reports))
    if crate_of:  # until then the manifest names another: a run killed between the two is seen
        files.write_bytes(crate_of / CRATE, crate)
    return files.sha256(content[MANIFEST])


def _as_built(built: Path, hashes: Mapping[str, str | None]) -> dict[str, bytes]:
    """Read files beside a run's manifest, if they are those that it lists and may be shown."""
    content = {name: files.read_bytes(built.parent / name, MEND) for name in sorted(hashes)}
    for name, data in content.items():
        if files.sha256(data) != hashes[name]:
            raise FactsError(
                f"{built.parent / name}: changed since {built} was written, expected the file that"
                f" was built; {MEND}"
            )
    if FACTS in content and schema.read(built.parent / FACTS, "facts", MEND)["timings"] is not None:
        raise FactsError(
            f"{built.parent / FACTS}: timings found, expected null in what is published; run"
            " without time_kernels"
        )
    return content


def _once_published(folder: Path) -> set[str]:
    """List what the manifest in a folder lists: nothing if there is none, or our own one is spoilt.

    Raises
    ------
    FactsError
        If the manifest is somebody else's.
    """
    path = folder / MANIFEST
    try:
        return set(manifests.read(path)["files"]) if path.exists() else set()
    except FactsError:
        if (folder / FACTS).exists():
            return set()
        raise FactsError(
            f"{path}: found a manifest that is not of this pipeline, expected a folder of its own;"
            " name another as `publish_to` in config.yaml"
        ) from None


def _device_reports(folder: Path) -> dict[str, bytes]:
    """Read the device reports beside the facts, by name; FactsError if one is not of its schema."""
    found = {}
    for path in sorted((folder / DEVICES).glob("*.json")):
        mend = f"delete it, or copy it again from results/{DEVICES}"
        schema.read(path, "device", mend)
        found[f"{DEVICES}/{path.name}"] = files.read_bytes(path, mend)
    return found


def _replace(folder: Path, content: Mapping[str, bytes], gone: Iterable[str]) -> None:
    """Put files into a folder, delete others, then put the manifest; what is there already stays.

    Raises
    ------
    FactsError
        If a file cannot be written: before the first is in place, the folder is as it was.
    """
    changed = {name for name, data in content.items() if not _holds(folder / name, data)}
    staged: dict[str, Path] = {}
    try:
        for name in (names := [*sorted(changed - {MANIFEST}), MANIFEST]):
            staged[name] = files.stage(folder / name, content[name])
        for name in names:
            if name == MANIFEST:
                _delete(folder, [folder / old for old in gone])
            files.move(staged[name], folder / name)
            del staged[name]
    except BaseException:
        with suppress(FactsError):  # the fault that led here is the one to tell
            _delete(folder, staged.values())
        raise


def _holds(path: Path, data: bytes) -> bool:
    try:
        return not path.is_symlink() and path.read_bytes() == data
    except OSError:
        return False


def _delete(folder: Path, paths: Iterable[Path]) -> None:
    """Delete files of a folder, and folders within it that are then empty."""
    for path in sorted(paths):
        with files.writing(path):
            path.unlink(missing_ok=True)
        for parent in takewhile(lambda parent: parent != folder, path.parents):
            with suppress(OSError):  # the system itself refuses where one still holds something
                parent.rmdir()


def check(folder: Path, crate_of: Path | None = None) -> dict[str, Any]:
    """Read the published facts, if every file is the one that the manifest names.

    Parameters
    ----------
    folder : Path
    crate_of : Path, optional
        The repository, if its crate describes the run: then the crate must be in its place too.

    Raises
    ------
    FactsError
        If a file is missing or malformed, or a run is replacing the folder for too long.
    ClaimError
        If a file is another than the manifest's: an edit, or a run that was killed midway; or if
        such a run left a temporary, for what else it left might be in no manifest.
    """
    with files.locked(folder, exclusive=False):
        manifest = manifests.read(folder / MANIFEST)
        listed = {folder / name: digest for name, digest in sorted(manifest["files"].items())}
        listed[folder / SUMS] = files.sha256(manifests.sums(manifest).encode())
        if crate_of:
            listed[crate_of / CRATE] = manifest.get("crate", "none at all")
        for path, digest in listed.items():
            found = files.sha256(files.read_bytes(path, MEND))
            if found != digest:
                raise ClaimError(
                    f"{path}: sha256 found {found}, expected {digest} as {folder / MANIFEST} says:"
                    f" it was edited, or a run was killed while publishing; {MEND}"
                )
        for left in files.temporaries(folder):
            raise ClaimError(
                f"{left}: found what a run left that was killed while publishing, expected only"
                f" what {MANIFEST} lists; {MEND}"
            )
        for unlisted in sorted(set(_device_reports(folder)) - set(manifest["files"])):
            raise ClaimError(
                f"{folder / unlisted}: found a device report that {MANIFEST} does not list,"
                f" expected its hash there; {MEND}"
            )
        return schema.read(folder / FACTS, "facts", MEND)


def drop_stale_stamp(folder: Path, stamp: Path, crate_of: Path | None = None) -> None:
    """Delete the stamp of the last run if the published folder is not what that run left.

    The stamp is what the last rule leaves: the hash of the manifest that it published.
    The workflow calls this as it starts, so that an edit under the folder, which Snakemake does
    not watch, makes that rule run.
    """
    if not stamp.exists():
        return
    try:
        check(folder, crate_of)
        left = files.sha256((folder / MANIFEST).read_bytes())
    except FactsError:
        left = ""
    if stamp.read_text(encoding="utf-8").strip() != left:
        stamp.unlink()
