"""The tensors of somebody's file: read in part, as they are asked for, in the format they have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.tensor_check import header, safetensors_file
from fusedfacts.tensor_check.header import DTYPES
from fusedfacts.tensor_check.safetensors_file import Entry, Source


class Stored:
    """A tensor in a file, of which a part is read where it is indexed.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
        Of bfloat16 that of `ml_dtypes`.
    """

    def __init__(self, source: Source, entry: Entry) -> None:
        self._source, self._entry = source, entry
        self.shape, self.dtype = entry.shape, DTYPES[entry.dtype]

    def __getitem__(self, where: tuple[int | slice, ...]) -> NDArray[Any]:
        """Read a part, by whole numbers and slices."""
        rest = (slice(None),) * (len(self.shape) - len(where))
        return self._read(0, self.shape, (*where, *rest))

    def _read(
        self, first: int, shape: tuple[int, ...], where: tuple[int | slice, ...]
    ) -> NDArray[Any]:
        """Read a part of what begins at element `first`."""
        inner, step = shape[1:], math.prod(shape[1:])
        at = where[0] if where else slice(None)
        if not isinstance(at, slice):
            return self._read(first + at * step, inner, where[1:])
        if where:
            start, stop, _ = at.indices(shape[0])
            first, shape = first + start * step, (max(0, stop - start), *inner)
        if any(axis != slice(None) for axis in where[1:]):  # of one head of (n, heads, d)
            starts = range(first, first + shape[0] * step, step)
            return np.stack([self._read(start, inner, where[1:]) for start in starts])
        size = self.dtype.itemsize
        content = self._source.part(self._entry, first * size, math.prod(shape) * size)
        if self.dtype == np.bool_:  # any byte that is not 0 is true
            return np.asarray(np.frombuffer(content, np.uint8) != 0).reshape(shape)
        return np.frombuffer(content, self.dtype).reshape(shape)


@dataclass(frozen=True)
class Tensors:
    """The tensors of an open file by what they are, whatever the file calls them."""

    file: str
    named: Mapping[str, Stored]

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Name the file in a sentence about its tensors."""
        try:
            yield
        except ClaimError:
            raise
        except FactsError as fault:
            said = str(fault)
            if said.startswith(f"{self.file}: "):  # it could not be read
                raise
            raise FactsError(f"{self.file}: {said}") from None


@contextmanager
def opened(
    path: Path, name: str | None = None, names: Mapping[str, str] | None = None
) -> Iterator[Tensors]:
    """Open a file, and check names and formats of its tensors; `names` are those in the file."""
    with safetensors_file.opened(path, name) as source:
        yield of(source, names)


def of(source: Source, names: Mapping[str, str] | None = None) -> Tensors:
    """Take the tensors of an open file."""
    entries = header.read(source.entries, names or {}, source.name)
    return Tensors(source.name, {role: Stored(source, entry) for role, entry in entries.items()})
