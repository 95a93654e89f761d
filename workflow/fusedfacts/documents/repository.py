"""Where this repository and what it publishes lie: in a clone, or, a part of it, in a wheel."""

from __future__ import annotations

from pathlib import Path

from fusedfacts.errors import FactsError

LIBRARY = Path(__file__).parents[1]
SHIPPED = LIBRARY / "shipped"  # what pyproject.toml puts into a wheel, laid out as in a clone
IS_CLONE = not SHIPPED.is_dir()
ROOT = LIBRARY.parents[1] if IS_CLONE else SHIPPED
FOLDER = "media/school/fused"
PUBLISHED = ROOT / FOLDER
FACTS = PUBLISHED / "facts.json"


def require_clone(wanted: str, is_clone: bool = IS_CLONE) -> None:
    """Refuse what an installed package cannot do: it has no sources and makes no facts."""
    if not is_clone:
        raise FactsError(
            f"{wanted}: found an installed package, expected a clone of the repository, which has"
            " the sources; run `make facts` in one, then `.venv/bin/fusedfacts` there"
        )


def clone_around(folder: Path) -> Path | None:
    """Find the clone that a folder lies in."""
    marks = (clone / "workflow/fusedfacts/documents" for clone in (folder, *folder.parents))
    return next((mark.parents[2] for mark in marks if (mark / "repository.py").is_file()), None)


def shown(path: Path) -> str:
    """A path as messages show it: from the working directory if it lies below it.

    >>> shown(Path.cwd() / "a" / "b")
    'a/b'
    """
    resolved = path.resolve()
    here = Path.cwd().resolve()
    if resolved == here:
        return here.name
    return resolved.relative_to(here).as_posix() if resolved.is_relative_to(here) else str(path)
