"""The crate at the repository's root, with the hash that the published manifest tells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fusedfacts.documents import files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing.crate import check as checking
from fusedfacts.publishing.crate import layout


def describes(root: Path, folder: Path, inputs: Mapping[str, Path]) -> bool:
    """Whether a run is the repository's own, so that its crate may lie at the root.

    It is not where a file of the model comes from elsewhere, or results go elsewhere, as those of
    another sweep do: the crate at the root tells of the folder that the repository publishes, and
    names every file by its path from there.

    Parameters
    ----------
    root : Path
        The repository.
    folder : Path
        Where the run publishes.
    inputs : Mapping of str to Path
        By path from the root, where each input lies.
    """
    here = root.resolve()
    return folder.resolve() == here / layout.FOLDER and all(
        (here / name).resolve() == path.resolve() for name, path in inputs.items()
    )


def place(built: Path, root: Path) -> None:
    """Put a run's crate in its place.

    After the run is published, which may be refused. Between the two the manifest names another
    crate than the one that lies here, so that a run killed there is seen, and the next mends it.

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
    path = built.parent / layout.NAME
    data = files.read_bytes(path, publish.MEND)
    if files.sha256(data) != publish.read(built).get("crate"):
        raise FactsError(
            f"{path}: changed since {built} was written, expected the file that was built;"
            f" {publish.MEND}"
        )
    files.write_bytes(root / layout.NAME, data)


def require_hash(root: Path, folder: Path) -> None:
    """Stop if the crate is not the one that the published manifest names.

    Raises
    ------
    ClaimError
        If it is another: an edit, or a run that was killed while publishing.
    FactsError
        If crate or manifest cannot be read.
    """
    path = root / layout.NAME
    found = files.sha256(files.read_bytes(path, publish.MEND))
    told = publish.read(folder / publish.MANIFEST).get("crate", "none at all")
    if found != told:
        raise ClaimError(
            f"{path}: sha256 found {found}, expected {told} as {folder / publish.MANIFEST} says:"
            f" it was edited, or a run was killed while publishing; {publish.MEND}"
        )


def check(root: Path, folder: Path) -> int:
    """Hold the crate against manifest and tree; the number of its entities is returned.

    Raises
    ------
    ClaimError
        With the first fault.
    FactsError
        If crate or manifest cannot be read.
    """
    require_hash(root, folder)
    names = publish.listed(folder / publish.MANIFEST)
    made = [name for name in names if not name.startswith(f"{publish.DEVICES}/")]
    return checking.check(root, made)


def drop_stale_stamp(root: Path, folder: Path, stamp: Path) -> None:
    """Delete the stamp of the last run if its crate is no longer in place, so that it is put back.

    The workflow calls this as it starts: Snakemake does not watch the root.
    """
    try:
        require_hash(root, folder)
    except FactsError:
        stamp.unlink(missing_ok=True)
