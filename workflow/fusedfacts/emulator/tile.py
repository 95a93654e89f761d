"""Compute on tiles that lie in workgroup memory; nothing here is counted traffic.

Arrays hold one column an invocation: `q[c, r]`, `s[j, r]`, `p[j, r]` belong to query row r, so
the innermost loop runs over the workgroup's invocations in lockstep. Every sum is taken in the
order of the arithmetic contract (docs/counts.md). `first_row`, the first row that attends to a
key, is where those loops start: a masked pair is never touched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.emulator.memory import ADD, MULTIPLY, Counts, Floats, Operations, Q, load
from fusedfacts.numerics.jit import compiled, inlined

Tile = NDArray[np.float32]


class Workgroup(NamedTuple):
    """What one workgroup works on.

    Attributes
    ----------
    n, d : int
    key_rows : int
        Rows of a key tile.
    causal : bool
    first, last : int
        The rows of its query tile.
    """

    n: int
    d: int
    key_rows: int
    causal: bool
    first: int
    last: int


@inlined
def first_row(causal: bool, key: int, first: int) -> int:
    """Find the first row of the query tile starting at `first` that attends to `key`."""
    return max(0, key - first) if causal else 0


@inlined
def last_key(group: Workgroup) -> int:
    """Find the end of the keys that a workgroup fetches."""
    return group.last if group.causal else group.n


@compiled
def load_query_tile(
    q_memory: Floats, counts: Counts, operations: Operations, group: Workgroup, scale: np.float32
) -> Tile:
    """Load the query tile, scaled as it is loaded, shape (d, rows)."""
    rows, d = group.last - group.first, group.d
    taken = load(q_memory, counts, Q, group.first * d, group.last * d)
    operations[MULTIPLY] += taken.size
    return np.ascontiguousarray((taken * scale).reshape((rows, d)).T)


@compiled
def score_tile(
    q: Tile, k: Tile, causal: bool, first: int, first_key: int, operations: Operations, s: Tile
) -> None:
    """Score a query tile against a key tile: s[j, r] = sum_c q[c, r] k[j, c].

    Chunk by chunk, each chunk four products summed left to right, starting from 0.
    """
    d = q.shape[0]
    for j in range(k.shape[0]):
        start = first_row(causal, first_key + j, first)
        # A slice, not an index from `start`: the compiler then knows that no index is negative.
        score = s[j, start:]
        for r in range(score.size):
            score[r] = np.float32(0.0)
        for c in range(0, d, 4):
            k0, k1, k2, k3 = k[j, c], k[j, c + 1], k[j, c + 2], k[j, c + 3]
            q0, q1, q2, q3 = q[c, start:], q[c + 1, start:], q[c + 2, start:], q[c + 3, start:]
            for r in range(score.size):
                score[r] = score[r] + (((q0[r] * k0 + q1[r] * k1) + q2[r] * k2) + q3[r] * k3)
        operations[MULTIPLY] += score.size * d
        operations[ADD] += score.size * d


@compiled
def weighted_column(
    p: Tile, v: Tile, c: int, causal: bool, first: int, first_key: int, tile: Floats
) -> None:
    """Sum one column of p.v over a tile, in key order from the first term, into tile[r]."""
    start = first_row(causal, first_key, first)
    total, weight, value = tile[start:], p[0, start:], v[0, c]
    for r in range(total.size):
        total[r] = weight[r] * value
    for j in range(1, v.shape[0]):
        start = first_row(causal, first_key + j, first)
        total, weight, value = tile[start:], p[j, start:], v[j, c]
        for r in range(total.size):
            total[r] = total[r] + weight[r] * value


@compiled
def pairs(causal: bool, first: int, rows: int, first_key: int, keys: int) -> int:
    """Count the (row, key) pairs of two tiles that are not masked, one key at a time."""
    seen = 0
    for j in range(keys):
        seen += max(0, rows - first_row(causal, first_key + j, first))
    return seen
