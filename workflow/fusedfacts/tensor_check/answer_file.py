"""Our answer as a file of one tensor."""

from __future__ import annotations

from pathlib import Path

from safetensors import numpy as safetensors

from fusedfacts.documents import files
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check.safetensors_file import shown
from fusedfacts.tensor_check.tensors import ANSWER, Floats


def check_target(path: Path, source: Path) -> None:
    """Refuse a place that would cost somebody a file, before anything is computed.

    Raises
    ------
    FactsError
        If it is the input, by whatever name, or something that is no plain file.
    """
    try:
        same, there, plain = _same(path, source), path.exists(), path.is_file()
    except OSError as fault:
        raise FactsError(
            f"{shown(path)}: cannot be written ({fault.strerror}); choose another --write"
        ) from None
    if same:
        raise FactsError(
            f"{shown(path)}: found the input itself, expected another file; choose another --write"
        )
    if there and not plain:
        raise FactsError(
            f"{shown(path)}: found something that is no plain file, expected a new name or a file"
            " to replace; choose another --write"
        )


def _same(path: Path, source: Path) -> bool:
    return path.exists() and path.samefile(source)


def write(path: Path, output: Floats) -> None:
    """Write tensor o, whole or not at all; the same answer gives the same bytes."""
    files.write_bytes(path, safetensors.save({ANSWER: output}))
