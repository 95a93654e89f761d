"""The crate of a repository, read from its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError
from fusedfacts.publishing.crate import citation, content, document, layout
from fusedfacts.publishing.crate.content import Content

MEND = "restore it with `git checkout`"
SCHEMAS = ("config", "facts", "film")


def parsed(path: Path) -> Any:
    """A YAML file, of plain types and dates only.

    Raises
    ------
    FactsError
        If it cannot be read.
    """
    try:
        return yaml.safe_load(files.read_bytes(path, MEND))
    except yaml.YAMLError as fault:
        problem = " ".join(str(fault).split())
        raise FactsError(
            f"{path}: found no YAML ({problem}), expected keys and values; {MEND}"
        ) from None


def contents(paths: Mapping[str, Path]) -> dict[str, Content]:
    """What is said of each file, by its name."""
    return {name: content.of(files.read_bytes(path, MEND)) for name, path in paths.items()}


def crate(
    root: Path, published: Mapping[str, Content], inputs: Mapping[str, Path], folder: str
) -> dict[str, Any]:
    """The crate of the repository at `root`.

    Parameters
    ----------
    root : Path
        The repository.
    published : Mapping of str to Content
        What is said of each published file, by its name within the folder.
    inputs : Mapping of str to Path
        By path from the root, where each file that shaped them lies.
    folder : str
        The published folder, from the root.

    Raises
    ------
    FactsError
        If a file is missing, or CITATION.cff lacks a field.
    """
    schemas = root / "workflow" / "schemas"
    return document.crate(
        published=published,
        inputs=contents(inputs),
        about=citation.citation(parsed(root / citation.NAME)),
        requirements=files.read_bytes(root / layout.LOCK, MEND).decode(),
        config=parsed(root / "config.yaml"),
        schemas={name: canonical_json.read(schemas / f"{name}.schema.json") for name in SCHEMAS},
        folder=folder,
    )
