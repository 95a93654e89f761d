"""Count what an emulated kernel does: accesses to global memory, and arithmetic by kind.

Every access of global memory goes through `load` or `store`. A buffer is a flat float32 array, and
the count comes from the slice that was really taken, which NumPy cuts at the buffer's end, never
from a formula. A subtraction is an addition; a maximum of two is one comparison; index arithmetic
does not count. Where there is room, each access is logged as well, for a cache to be simulated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.numerics.jit import inlined

Q, K, V, O, S, P, M, L = range(8)  # noqa: E741 - O is the field's name for the output
BUFFERS = ("q", "k", "v", "o", "s", "p", "m", "l")
LOADS, STORES = 0, 1
MULTIPLY, ADD, EXP, DIVIDE, COMPARE = range(5)
KINDS = ("multiplications", "additions", "exps", "divisions", "comparisons")

Log = NDArray[np.int64]  # (accesses, 4): buffer, load or store, first element, elements
Operations = NDArray[np.int64]  # (5 kinds,)
Floats = NDArray[np.float32]  # a buffer, or a part of it, flat


class Counts(NamedTuple):
    """What was asked of global memory.

    Attributes
    ----------
    moved : ndarray of int64, shape (8 buffers, loads and stores)
        Elements.
    log : Log
        The first accesses, as many as it has room for.
    asked : ndarray of int64, shape (1,)
        How many accesses there were.
    """

    moved: NDArray[np.int64]
    log: Log
    asked: NDArray[np.int64]


def no_counts(room: int = 0) -> Counts:
    """Start counting at zero, with room to log so many accesses."""
    moved, log = np.zeros((len(BUFFERS), 2), np.int64), np.zeros((room, 4), np.int64)
    return Counts(moved, log, np.zeros(1, np.int64))


def no_operations() -> Operations:
    """Start counting operations at zero."""
    return np.zeros(len(KINDS), dtype=np.int64)


@inlined
def note(counts: Counts, buffer: int, kind: int, first: int, size: int) -> None:
    """Count one access, and log it where there is room."""
    counts.moved[buffer, kind] += size
    at = counts.asked[0]
    if at < counts.log.shape[0]:
        counts.log[at, 0] = buffer
        counts.log[at, 1] = kind
        counts.log[at, 2] = first
        counts.log[at, 3] = size
    counts.asked[0] = at + 1


@inlined
def load(memory: Floats, counts: Counts, buffer: int, first: int, last: int) -> Floats:
    """Load elements `first` to `last` of a buffer, counted."""
    taken = memory[first:last]
    note(counts, buffer, LOADS, first, taken.size)
    return taken


@inlined
def store(memory: Floats, counts: Counts, buffer: int, first: int, values: Floats) -> None:
    """Store `values` from `first` on, counted."""
    taken = memory[first : first + values.size]
    note(counts, buffer, STORES, first, taken.size)
    taken[:] = values
