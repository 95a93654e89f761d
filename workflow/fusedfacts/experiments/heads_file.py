"""The file of one's own heads, opened only if it is what the config says and what is judged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fusedfacts.errors import FactsError
from fusedfacts.tensor_check import tensors
from fusedfacts.tensor_check.header import ANSWER, INPUTS
from fusedfacts.tensor_check.tensors import Tensors

# The plain reference walks a head's keys one by one in NumPy: minutes a head at this length.
N_MOST = 4096
HEADS_MOST = 64  # of one layer; each makes some fifty claims
FORMAT = "docs/own-model.md says what such a file holds"
FLOAT32_MOST = float(np.finfo(np.float32).max)


@contextmanager
def opened(path: str, sha256: str, key_rows: Sequence[int]) -> Iterator[Tensors]:
    """Open the file, or refuse it in one sentence; `key_rows` are the config's key tiles.

    Raises
    ------
    FactsError
        If names, types or shapes are not judged, a tile is wider than the heads are long, the
        hash is another, or a number is not finite or so large that a sum of values overflows.
    """
    with tensors.opened(Path(path)) as found:
        _check_sizes(found, key_rows)
        _check_hash(Path(path), sha256)
        found.check_finite()
        _check_values(found)
        yield found


def _check_sizes(found: Tensors, key_rows: Sequence[int]) -> None:
    if ANSWER in found.stored:
        raise FactsError(
            f"{found.file}: found an answer o, expected q, k and v alone; save it without, and have"
            " it judged by `fusedfacts check`"
        )
    for what, most, size in (("heads", HEADS_MOST, found.heads), ("n", N_MOST, found.n)):
        if size > most:
            raise FactsError(
                f"{found.file}: {what} found {size}, expected at most {most}; save fewer: {FORMAT}"
            )
    widest = max(key_rows)
    if widest > found.n:
        raise FactsError(
            f"{found.file}: n found {found.n}, expected at least {widest}, the widest key tile of"
            " control_key_rows and model_key_rows; choose narrower ones in the config"
        )


def _check_hash(path: Path, expected: str) -> None:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != expected:
        raise FactsError(
            f"{path}: sha256 found {sha256}, expected {expected} (heads_sha256 in the config); name"
            " the right file, or put the new hash into the config"
        )


def _check_values(found: Tensors) -> None:
    """Refuse values whose running total of n terms, each with a weight of at most 1, overflows."""
    for head in range(found.heads):
        largest = float(np.abs(found.head(INPUTS[-1], head)).max())
        if largest * found.n >= FLOAT32_MOST:
            raise FactsError(
                f"{found.file}: v found as large as {largest:.3g} at head {head}, expected less"
                f" than {FLOAT32_MOST / found.n:.3g}, for n of them to add up in float32; scale v"
            )
