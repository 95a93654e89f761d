"""The stamp of a run: that it published, and the hash of the manifest that it left."""

from __future__ import annotations

from pathlib import Path

from fusedfacts.documents import files
from fusedfacts.errors import FactsError
from fusedfacts.publishing import folder as published
from fusedfacts.publishing.manifest import MANIFEST


def folder_beside(stamp: Path, publish_to: str) -> Path:
    """Find the folder that a run publishes to: a relative one lies beside the run's `results/`.

    Where another workflow imports this one under a prefix, the stamp carries the prefix.

    >>> folder_beside(Path("results/published.ok"), "out").as_posix()
    'out'
    >>> folder_beside(Path("second/results/published.ok"), "out").as_posix()
    'second/out'
    """
    return stamp.parents[1] / publish_to


def drop_stale_stamp(folder: Path, stamp: Path, crate_of: Path | None = None) -> None:
    """Delete the stamp of the last run if the published folder is not what that run left.

    The workflow calls this as it starts, so that an edit under the folder, which Snakemake does
    not watch, makes its last rule run.

    Parameters
    ----------
    folder : Path
        Where the run publishes.
    stamp : Path
        What its last rule left, if it ran.
    crate_of : Path, optional
        The repository, if its crate describes the run: then the crate must be in its place too.
    """
    if not stamp.exists():
        return
    try:
        published.check(folder)
        if crate_of:
            published.check_crate(crate_of, folder)
        left = stamp.read_text(encoding="utf-8").strip()
        intact = files.sha256((folder / MANIFEST).read_bytes()) == left
    except FactsError:
        intact = False
    if not intact:
        stamp.unlink(missing_ok=True)
