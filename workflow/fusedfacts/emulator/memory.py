"""Counted global memory: every access of an emulated kernel goes through `load` or `store`.

A buffer is a flat float32 array. The count comes from the slice that was really taken, which
NumPy cuts at the buffer's end, never from a formula. `counts` has one row per buffer and two
columns, elements loaded and elements stored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fusedfacts.numerics.jit import inlined

Q, K, V, O, S, P = range(6)  # noqa: E741 - O is the field's name for the output
BUFFERS = ("q", "k", "v", "o", "s", "p")
LOADS, STORES = 0, 1
BYTES_PER_FLOAT = 4

Counts = NDArray[np.int64]
Floats = NDArray[np.float32]


def no_counts() -> Counts:
    """Counters at zero, shape (6 buffers, loads and stores)."""
    return np.zeros((len(BUFFERS), 2), dtype=np.int64)


@inlined
def load(memory: Floats, counts: Counts, buffer: int, first: int, last: int) -> Floats:
    """Elements `first` to `last` of a buffer, counted."""
    taken = memory[first:last]
    counts[buffer, LOADS] += taken.size
    return taken


@inlined
def store(memory: Floats, counts: Counts, buffer: int, first: int, values: Floats) -> None:
    """Write `values` from `first` on, counted."""
    taken = memory[first : first + values.size]
    counts[buffer, STORES] += taken.size
    taken[:] = values
