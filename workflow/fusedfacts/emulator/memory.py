"""Count what an emulated kernel does: accesses to global memory, and arithmetic by kind.

Every access of global memory goes through `load` or `store`. A buffer is a flat float32 array, and
the count comes from the slice that was really taken, which NumPy cuts at the buffer's end, never
from a formula. A subtraction is an addition; a maximum of two is one comparison; index arithmetic
does not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fusedfacts.numerics.jit import inlined

Q, K, V, O, S, P, M, L = range(8)  # noqa: E741 - O is the field's name for the output
BUFFERS = ("q", "k", "v", "o", "s", "p", "m", "l")
LOADS, STORES = 0, 1
MULTIPLY, ADD, EXP, DIVIDE, COMPARE = range(5)
KINDS = ("multiplications", "additions", "exps", "divisions", "comparisons")

Counts = NDArray[np.int64]  # (8 buffers, loads and stores): elements moved
Operations = NDArray[np.int64]  # (5 kinds,)
Floats = NDArray[np.float32]  # a buffer, or a part of it, flat


def no_counts() -> Counts:
    """Start counting elements moved at zero."""
    return np.zeros((len(BUFFERS), 2), dtype=np.int64)


def no_operations() -> Operations:
    """Start counting operations at zero."""
    return np.zeros(len(KINDS), dtype=np.int64)


@inlined
def load(memory: Floats, counts: Counts, buffer: int, first: int, last: int) -> Floats:
    """Load elements `first` to `last` of a buffer, counted."""
    taken = memory[first:last]
    counts[buffer, LOADS] += taken.size
    return taken


@inlined
def store(memory: Floats, counts: Counts, buffer: int, first: int, values: Floats) -> None:
    """Store `values` from `first` on, counted."""
    taken = memory[first : first + values.size]
    counts[buffer, STORES] += taken.size
    taken[:] = values
