"""Whose command runs: in one clone, another's would answer about the other's files."""

from __future__ import annotations

from pathlib import Path

from fusedfacts.doctor.environment import environment_of
from fusedfacts.documents import repository
from fusedfacts.errors import FactsError


def require(folder: Path) -> None:
    """Stop if somebody stands in one clone and runs the command of another.

    Raises
    ------
    FactsError
        Naming both.
    """
    for place in (folder, *folder.parents):
        if (place / "workflow" / "fusedfacts" / "documents" / "repository.py").is_file():
            if place.resolve() != repository.ROOT.resolve():
                raise FactsError(_another(place))
            return


def _another(clone: Path) -> str:
    """Its own command mends it, unless that is the other's: copied with the clone, or a link."""
    found = f"{clone}: found the command of another clone, {repository.ROOT}"
    venv = clone.resolve() / ".venv"
    owner = environment_of(venv / "bin" / "fusedfacts")
    if owner is not None and owner.parent.resolve() != venv.parent:
        return (
            f"{found}, which .venv was copied from or linked to, expected this one's; run"
            f" `rm -rf .venv && make facts` in {clone}"
        )
    return (
        f"{found}, expected this one's; run `{clone}/.venv/bin/fusedfacts`, which `make facts`"
        " there sets up"
    )
