"""What a workgroup does with tiles that lie in its own memory; nothing here is counted traffic.

Arrays hold one column an invocation: `q[c, r]`, `s[j, r]`, `p[j, r]` belong to query row r, so
the innermost loop runs over the workgroup's invocations in lockstep. Every sum is taken in the
order of the arithmetic contract (docs/counts.md). `seen(j)`, the first row that may look at a
key, is where those loops start: a masked pair is never touched.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fusedfacts.emulator.memory import Counts, Floats, load
from fusedfacts.emulator.operations import ADD, MULTIPLY, Operations
from fusedfacts.numerics.jit import compiled, inlined

Tile = NDArray[np.float32]


@inlined
def first_row(causal: bool, key: int, first: int) -> int:
    """First row of the query tile starting at `first` that may look at `key`."""
    return max(0, key - first) if causal else 0


@inlined
def last_key(causal: bool, n: int, last: int) -> int:
    """End of the keys that a query tile ending at row `last` fetches."""
    return last if causal else n


@compiled
def load_query_tile(
    q_memory: Floats,
    counts: Counts,
    operations: Operations,
    buffer: int,
    first: int,
    last: int,
    d: int,
    scale: np.float32,
) -> Tile:
    """The query tile, scaled as it is loaded, shape (d, rows)."""
    rows = last - first
    q = np.empty((d, rows), np.float32)
    taken = load(q_memory, counts, buffer, first * d, last * d)
    for r in range(rows):
        for c in range(d):
            q[c, r] = taken[r * d + c] * scale
    operations[MULTIPLY] += rows * d
    return q


@compiled
def score_tile(
    q: Tile, k: Tile, causal: bool, first: int, first_key: int, operations: Operations, s: Tile
) -> None:
    """Scores of a query tile against a key tile: s[j, r] = sum_c q[c, r] k[j, c].

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
    """One column of p.v over a tile, in key order from the first term: tile[r]."""
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
    """How many (row, key) pairs of two tiles are seen, counted one key at a time."""
    seen = 0
    for j in range(keys):
        seen += max(0, rows - first_row(causal, first_key + j, first))
    return seen
