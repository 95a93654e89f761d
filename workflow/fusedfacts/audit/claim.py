"""One claim: found by its id, with the code and the inputs that it follows from."""

from __future__ import annotations

import ast
import difflib
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import FactsError
from fusedfacts.pipeline import closure as imports

MEND = "name another file, or rebuild it with `make facts`"
NEAR = 3  # ids that a message suggests


def facts(path: Path) -> dict[str, Any]:
    """A facts.json that fits its schema.

    Raises
    ------
    FactsError
        If it cannot be read or does not fit.
    """
    document: dict[str, Any] = canonical_json.read(path)
    schema.validate(document, "facts", str(path), MEND)
    return document


def find(document: dict[str, Any], identifier: str) -> dict[str, Any]:
    """The claim of that id.

    Raises
    ------
    FactsError
        If there is none, naming ids that are near.
    """
    claims = {claim["id"]: claim for claim in document["claims"]}
    if identifier in claims:
        found: dict[str, Any] = claims[identifier]
        return found
    near = difflib.get_close_matches(identifier, claims, NEAR, cutoff=0.5)
    hint = f", for instance {' or '.join(near)}" if near else ""
    raise FactsError(
        f"claim: found no id {identifier!r}, expected one of the {len(claims)}{hint}; list"
        " them with `fusedfacts claims`"
    )


def place(computed_by: str) -> tuple[Path, int]:
    """The file and the line that a dotted name of a function stands for; nothing is imported.

    >>> path, line = place("fusedfacts.experiments.sweep.size_results")
    >>> path.name, path.read_text().splitlines()[line - 1][:17]
    ('sweep.py', 'def size_results(')

    Raises
    ------
    FactsError
        If there is no such function.
    """
    module, _, function = computed_by.rpartition(".")
    path = imports.LIBRARY.parent.joinpath(*module.split(".")).with_suffix(".py")
    if path.is_file():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                return path, node.lineno
    raise FactsError(
        f"{computed_by}: found no such function in the library, expected one; the facts are of"
        " another version: rebuild them with `make facts`"
    )


def inputs(document: dict[str, Any], claim: dict[str, Any]) -> dict[str, Any]:
    """What the claim names as its inputs, by path within facts.json."""
    found: dict[str, Any] = {}
    for path in claim["inputs"]:
        value: Any = document
        for step in path.split("."):
            value = value[step]
        found[path] = value
    return found


def code(root: Path, computed_by: str) -> dict[str, str]:
    """SHA-256 of every file that the function's module reaches, by path from the repository."""
    module = computed_by.rpartition(".")[0]
    return {
        Path(path).relative_to(root).as_posix(): files.sha256(Path(path).read_bytes())
        for path in imports.closure(module)
    }
