"""Temporary files that a killed run left beside what it was writing."""

from __future__ import annotations

from pathlib import Path

from fusedfacts.doctor import killed_runs
from fusedfacts.doctor.finding import LISTED_MOST, Finding, below, listed, quoted
from fusedfacts.doctor.place import Place
from fusedfacts.documents import files

LOOK = "leftovers"
# Not `rm`: the next run learns from them which files the killed one put there.
MEND_PUBLISHED = "run `make facts`, which takes away what the killed run left and publishes anew"


def look(place: Place, published: Path) -> list[Finding]:
    """Those in the published folder and in `results/`; while a run is at work they are its own."""
    if any(killed_runs.at_work(folder, place.processes) for folder in place.runs):
        return []
    results = place.root / "results"
    found = [(published, files.temporaries(published)), (results, files.temporaries(results))]
    return [
        Finding(
            LOOK,
            below(folder, place.root),
            f"the temporary {listed([path.name for path in left])}",
            "only whole files, for a run that was killed left it",
            MEND_PUBLISHED if folder == published else _removed(left, place.root),
        )
        for folder, left in found
        if left
    ]


def _removed(left: list[Path], root: Path) -> str:
    few = len(left) <= LISTED_MOST
    names = quoted([below(path, root) for path in left])
    return f"run `rm {names}`" if few else f"run `find results -name '.*{files.PART}' -delete`"
