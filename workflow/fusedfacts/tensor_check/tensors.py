"""Q, K, V, and perhaps an answer O, from somebody's file: named, shaped and stored as expected.

Each is of shape (n, d) or (heads, n, d), in float32, or in float16 or bfloat16, which float32
holds exactly. One head of one tensor is in memory at a time until it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fusedfacts.attention.problem import Rows, Wide
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check import header, safetensors_file
from fusedfacts.tensor_check.header import ANSWER, INPUTS
from fusedfacts.tensor_check.safetensors_file import Source


class Stored(NamedTuple):
    """A way to store numbers that float32 holds exactly."""

    name: str
    code: str  # NumPy's type of the stored bytes, little-endian
    digits: int  # binary ones after the point of a normal number
    least_exponent: int  # of normal numbers: subnormal ones have steps of 2^(this - digits)

    def widened(self, content: bytes) -> Rows:
        """Widen stored bytes to float32, which is exact."""
        stored = np.frombuffer(content, dtype=self.code)
        if self is BFLOAT16:  # the upper half of a float32
            return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
        with np.errstate(invalid="ignore"):  # a NaN that signals is refused by its place later
            return stored.astype(np.float32)

    def half_unit(self, values: Rows) -> Wide:
        """Compute the most that rounding to this type can have changed, ending at `values`.

        >>> FLOAT16.half_unit(np.float32([1, 0])) == [2.0**-11, 2.0**-25]
        array([ True,  True])
        """
        _, exponent = np.frexp(np.abs(values.astype(np.float64)))
        exponent = np.where(values == 0, self.least_exponent, exponent - 1)
        exponent = np.maximum(exponent, self.least_exponent)
        half: Wide = np.ldexp(0.5, exponent - self.digits)
        return half


FLOAT32 = Stored("float32", "<f4", 23, -126)
FLOAT16 = Stored("float16", "<f2", 10, -14)
BFLOAT16 = Stored("bfloat16", "<u2", 7, -126)
STORED = dict(zip(header.TYPES, (FLOAT32, FLOAT16, BFLOAT16), strict=True))


class Tensors:
    """The tensors of an open file, head by head, checked but for their values."""

    def __init__(self, source: Source) -> None:
        self._source, self.file = source, source.name
        entries = source.entries
        header.check(entries, self.file)
        self.stored = {name: STORED[entry.dtype] for name, entry in sorted(entries.items())}
        self.shape = entries["q"].shape
        self.n, self.d = self.shape[-2:]
        self.heads = self.shape[0] if len(self.shape) == 3 else 1

    def head(self, name: str, head: int) -> Rows:
        """Read one head of a tensor, float32 of shape (n, d)."""
        entry, stored = self._source.entries[name], self.stored[name]
        size = self.n * self.d * np.dtype(stored.code).itemsize
        content = self._source.part(entry, head * size, size)
        return stored.widened(content).reshape(self.n, self.d)

    def given_answer(self, head: int) -> tuple[Rows | None, Wide | None]:
        """Read one head of tensor o, if any, and bound what storing it may have changed."""
        if ANSWER not in self.stored:
            return None, None
        answer, stored = self.head(ANSWER, head), self.stored[ANSWER]
        return answer, None if stored is FLOAT32 else stored.half_unit(answer)

    def check_finite(self) -> None:
        """Refuse a NaN or an infinity in q, k or v, naming the first place."""
        for name in INPUTS:
            for head in range(self.heads):
                values = self.head(name, head)
                bad = ~np.isfinite(values)
                if bad.any():
                    row, column = (int(i) for i in np.argwhere(bad)[0])
                    found = "NaN" if np.isnan(values[row, column]) else "infinity"
                    raise FactsError(
                        f"{self.file}: {name} holds {found} at head {head}, row {row}, column"
                        f" {column}, counted from zero, expected finite numbers; mend what made it"
                    )


@contextmanager
def opened(path: Path, name: str | None = None) -> Iterator[Tensors]:
    """Open a file and check its names, types and shapes."""
    with safetensors_file.opened(path, name) as source:
        yield Tensors(source)
