"""The file of one's own heads, opened only if it is what the config says and what a run judges.

A run takes less than `fusedfacts check`, which has options: no answer, no scale, fewer heads and
shorter ones. So it says itself what it expects, and leaves to `tensor_check` only what both take.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fusedfacts import errors
from fusedfacts.attention.problem import HEAD_DIMS, Rows
from fusedfacts.errors import FactsError
from fusedfacts.judging import arrays
from fusedfacts.judging.layout import written
from fusedfacts.tensor_check import safetensors_file, tensors
from fusedfacts.tensor_check.header import INPUTS, SHOWN_MOST, TYPES
from fusedfacts.tensor_check.safetensors_file import Entry
from fusedfacts.tensor_check.tensors import Tensors
from fusedfacts.terminal import listed

# The plain reference walks a head's keys one by one in NumPy: minutes a head at this length.
N_MOST = 4096
HEADS_MOST = 64  # of one layer; each makes some fifty claims
FORMAT = "docs/own-model.md says what such a file holds"
FLOAT32_MOST = float(np.finfo(np.float32).max)


class Heads:
    """Heads of q, k and v, of shape (n, d) or (heads, n, d), float32 when one is read."""

    def __init__(self, found: Tensors) -> None:
        self._found, self.file = found, found.file
        *heads, self.n, self.d = found.named["q"].shape
        self.heads = heads[0] if heads else 1

    def head(self, name: str, head: int) -> Rows:
        """Read one head of a tensor, of shape (n, d)."""
        stored = self._found.named[name]
        where = (head,) if len(stored.shape) == 3 else ()  # else there is but one
        return stored[where].astype(np.float32)  # which is exact


@contextmanager
def opened(path: str, sha256: str) -> Iterator[Heads]:
    """Open the file, or refuse it in one sentence.

    Raises
    ------
    FactsError
        If names, types or shapes are not judged, the hash is another, or a number is not finite or
        so large that a sum of values overflows.
    """
    with safetensors_file.opened(Path(path)) as source:
        _check_entries(source.entries, source.name)
        found = tensors.of(source)
        _check_hash(Path(path), sha256)
        with found.blamed():
            for name in INPUTS:
                arrays.check_finite(found.named[name], name)
        heads = Heads(found)
        _check_values(heads)
        yield heads


def _check_entries(entries: Mapping[str, Entry], file: str) -> None:
    """Refuse names, types, shapes and sizes that a run does not take."""
    if entries.keys() != set(INPUTS):
        names = [f"'{errors.printable(name, SHOWN_MOST)}'" for name in sorted(entries)]
        found = listed(names) if names else "no tensor"
        raise FactsError(
            f"{file}: found {found}, expected 'q', 'k' and 'v' and nothing else; save those of one"
            f" layer under these names: {FORMAT}"
        )
    for name in INPUTS:
        if entries[name].dtype not in TYPES:
            raise FactsError(
                f"{file}: {name} found as {entries[name].dtype}, expected {', '.join(TYPES)}; save"
                f" np.ascontiguousarray({name}, dtype=np.float32): {FORMAT}"
            )
    shape = entries["q"].shape
    if len(shape) not in (2, 3):
        raise FactsError(
            f"{file}: q found of shape {written(shape)}, expected (n, d) or (heads, n, d); save one"
            f" entry of a batch so: {FORMAT}"
        )
    heads = shape[0] if len(shape) == 3 else 1
    for what, size, most in (("heads", heads, HEADS_MOST), ("n", shape[-2], N_MOST)):
        if not 1 <= size <= most:
            raise FactsError(f"{file}: {what} found {size}, expected 1 to {most}: {FORMAT}")
    if shape[-1] not in HEAD_DIMS:
        raise FactsError(
            f"{file}: d found {shape[-1]}, expected one of {', '.join(map(str, HEAD_DIMS))}, which"
            " the kernels serve; have an answer of another one judged by `fusedfacts check`"
        )
    for name in INPUTS:
        if entries[name].shape != shape:
            raise FactsError(
                f"{file}: {name} found of shape {written(entries[name].shape)}, expected"
                f" {written(shape)} like q; repeat heads of k and v that serve several of q:"
                f" {FORMAT}"
            )


def _check_hash(path: Path, expected: str) -> None:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != expected:
        raise FactsError(
            f"{path}: sha256 found {sha256}, expected {expected} (heads_sha256 in the config); name"
            " the right file, or put the new hash into the config"
        )


def _check_values(found: Heads) -> None:
    """Refuse values whose running total of n terms, each with a weight of at most 1, overflows."""
    for head in range(found.heads):
        largest = float(np.abs(found.head(INPUTS[-1], head)).max())
        if largest * found.n >= FLOAT32_MOST:
            raise FactsError(
                f"{found.file}: v found as large as {largest:.3g} at head {head}, expected less"
                f" than {FLOAT32_MOST / found.n:.3g}, for n of them to add up in float32; scale v"
            )
