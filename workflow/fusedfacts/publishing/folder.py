"""The published folder: replaced file by file, each whole at any moment, the manifest last.

All is written beside what it replaces before anything moves, so that a full disk changes nothing.
A run that is killed while it moves leaves a mixture, which `check` and the audit name; the next run
replaces it. One run at a time replaces the folder, and nobody reads it meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import manifest as manifests
from fusedfacts.publishing.manifest import CRATE, DEVICES, FACTS, MANIFEST, MEND, SUMS


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
    document = manifests.read(built)
    content = _as_built(built, document)
    with files.writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with files.locked(folder, exclusive=True):
        before = _once_published(folder)
        left = [path.relative_to(folder).as_posix() for path in files.temporaries(folder)]
        _delete(folder, left)
        reports = _device_reports(folder)
        manifests.require_names(reports)
        document["files"] |= {name: files.sha256(data) for name, data in reports.items()}
        content[SUMS] = manifests.sums(document).encode()
        content[MANIFEST] = canonical_json.dumps(document).encode()
        _replace(folder, content, before - set(content) - set(reports))
    return files.sha256(content[MANIFEST])


def _as_built(built: Path, manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """Read the files beside a run's manifest, if they are those that it lists and may be shown."""
    content = {}
    for name, digest in sorted(manifest["files"].items()):
        content[name] = _require_built(built.parent / name, digest, built)
    facts = built.parent / FACTS
    document = canonical_json.read(facts)
    schema.validate(document, "facts", str(facts), MEND)
    if document["timings"] is not None:
        raise FactsError(
            f"{facts}: timings found, expected null in what is published; run without time_kernels"
        )
    return content


def _require_built(path: Path, digest: str | None, built: Path) -> bytes:
    data = files.read_bytes(path, MEND)
    if files.sha256(data) != digest:
        raise FactsError(
            f"{path}: changed since {built} was written, expected the file that was built; {MEND}"
        )
    return data


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
        schema.validate(canonical_json.read(path), "device", str(path), mend)
        found[f"{DEVICES}/{path.name}"] = files.read_bytes(path, mend)
    return found


def _replace(folder: Path, content: Mapping[str, bytes], gone: Iterable[str]) -> None:
    """Put files into a folder, delete others, then put the manifest; what is there already stays.

    Raises
    ------
    FactsError
        If a file cannot be written: before the first is in place, the folder is as it was.
    """
    names = [name for name, data in content.items() if not _holds(folder / name, data)]
    names = [*sorted(set(names) - {MANIFEST}), MANIFEST]
    staged: dict[str, Path] = {}
    try:
        for name in names:
            staged[name] = files.stage(folder / name, content[name])
        for name in names:
            if name == MANIFEST:
                _delete(folder, gone)
            files.move(staged[name], folder / name)
            del staged[name]
    except BaseException:
        with suppress(FactsError):  # the fault that led here is the one to tell
            _delete(folder, [path.relative_to(folder).as_posix() for path in staged.values()])
        raise


def _holds(path: Path, data: bytes) -> bool:
    try:
        return not path.is_symlink() and path.read_bytes() == data
    except OSError:
        return False


def _delete(folder: Path, names: Iterable[str]) -> None:
    """Delete files of a folder, and folders within it that are then empty."""
    for name in sorted(names):
        with files.writing(folder / name):
            (folder / name).unlink(missing_ok=True)
        for parent in list(Path(name).parents)[:-1]:
            with suppress(OSError):  # the system itself refuses where one still holds something
                (folder / parent).rmdir()


def place_crate(built: Path, root: Path) -> None:
    """Put a run's crate to the repository's root, after the run is published.

    Between the two the manifest names another crate than the one that lies here, so that a run
    killed there is seen, and the next mends it.

    Parameters
    ----------
    built : Path
        The manifest of the run; the crate lies beside it.
    root : Path
        The repository.

    Raises
    ------
    FactsError
        If the crate is not the one that the manifest names: then nothing is replaced.
    """
    digest = manifests.read(built).get("crate")
    files.write_bytes(root / CRATE, _require_built(built.parent / CRATE, digest, built))


def check_crate(root: Path, folder: Path) -> None:
    """Stop if the crate at the root is not the one that the published manifest names.

    Raises
    ------
    ClaimError
        If it is another: an edit, or a run that was killed while publishing.
    FactsError
        If crate or manifest cannot be read.
    """
    expected = manifests.read(folder / MANIFEST).get("crate", "none at all")
    _require_listed(root / CRATE, expected, f"{folder / MANIFEST}")


def _require_listed(path: Path, digest: str, manifest: str = "the manifest") -> None:
    found = files.sha256(files.read_bytes(path, MEND))
    if found != digest:
        raise ClaimError(
            f"{path}: sha256 found {found}, expected {digest} as {manifest} says: it was edited, or"
            f" a run was killed while publishing; {MEND}"
        )


def check(folder: Path) -> dict[str, Any]:
    """Read the published facts, if every file is the one that the manifest names.

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
        sums = files.sha256(manifests.sums(manifest).encode())
        for name, digest in [*sorted(manifest["files"].items()), (SUMS, sums)]:
            _require_listed(folder / name, digest)
        left = files.temporaries(folder)
        if left:
            raise ClaimError(
                f"{left[0]}: found what a run left that was killed while publishing, expected only"
                f" what {MANIFEST} lists; {MEND}"
            )
        unlisted = sorted(set(_device_reports(folder)) - set(manifest["files"]))
        if unlisted:
            raise ClaimError(
                f"{folder / unlisted[0]}: found a device report that {MANIFEST} does not list,"
                f" expected its hash there; {MEND}"
            )
        document: dict[str, Any] = canonical_json.read(folder / FACTS)
        schema.validate(document, "facts", str(folder / FACTS), MEND)
        return document
