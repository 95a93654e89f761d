"""The version, as pyproject.toml gives it: an installed package would only copy it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from fusedfacts.documents import files, repository


def version(root: Path = repository.ROOT) -> str:
    """The version of the repository at `root`.

    Raises
    ------
    FactsError
        If pyproject.toml cannot be read.
    """
    path = root / "pyproject.toml"
    content = files.read_bytes(path, "restore it with `git checkout pyproject.toml`")
    found: str = tomllib.loads(content.decode())["project"]["version"]
    return found
