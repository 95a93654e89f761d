"""Where this repository and what it publishes lie."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = "media/school/fused"
PUBLISHED = ROOT / FOLDER
FACTS = PUBLISHED / "facts.json"


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
