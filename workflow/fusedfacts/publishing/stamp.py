"""The stamp of a run: that it published, and the hash of the manifest that it left."""

from __future__ import annotations

from pathlib import Path

from fusedfacts.documents import files, locking
from fusedfacts.errors import FactsError
from fusedfacts.publishing import folder as publish


def folder_beside(stamp: Path, publish_to: str) -> Path:
    """The folder that a run publishes to: a relative one lies beside the run's `results/`.

    Where another workflow imports this one under a prefix, the stamp carries the prefix.

    >>> folder_beside(Path("results/published.ok"), "out").as_posix()
    'out'
    >>> folder_beside(Path("second/results/published.ok"), "out").as_posix()
    'second/out'
    """
    return stamp.parents[1] / publish_to


def drop_stale_stamp(folder: Path, stamp: Path) -> None:
    """Delete the stamp of the last run if the published folder is not what that run left.

    The workflow calls this as it starts, so that an edit under the folder, which Snakemake does
    not watch, makes its last rule run.
    """
    if not stamp.exists():
        return
    try:
        with locking.shared(folder):
            publish.check(folder)
            left = stamp.read_text(encoding="utf-8").strip()
            intact = files.sha256((folder / publish.MANIFEST).read_bytes()) == left
    except FactsError:
        intact = False
    if not intact:
        stamp.unlink(missing_ok=True)
