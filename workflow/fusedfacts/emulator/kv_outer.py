"""Emulate Algorithm 1 of FlashAttention (arXiv:2205.14135), one key tile at a time.

Read it beside kernels/kv_start.wgsl and kv_outer.wgsl. What a row has so far, its maximum m, its
total l and its answer o, lies in global memory. Each key tile is split where it needs exp values,
as the fused kernel is: `arguments`, then all exps at once, then `combine`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.emulator import memory
from fusedfacts.emulator import tile as tiles
from fusedfacts.emulator.memory import Counts, Floats, Operations
from fusedfacts.emulator.tile import Tile, Workgroup, first_row, pairs
from fusedfacts.numerics.jit import compiled

# What WGSL can name in place of minus infinity. No sum depends on it: the first tile seeds m.
LOWEST = np.finfo(np.float32).min


class KeyTile(NamedTuple):
    """What one workgroup works on.

    Attributes
    ----------
    n, d : int
    query_rows : int
        Rows of a query tile.
    causal : bool
    first, last : int
        The keys of its tile.
    """

    n: int
    d: int
    query_rows: int
    causal: bool
    first: int
    last: int


@compiled
def first_query(group: KeyTile) -> int:
    """Find the first row that sees a key of the tile; the query tiles begin there."""
    return group.first if group.causal else 0


@compiled
def initial(o_memory: Floats, m_memory: Floats, l_memory: Floats, counts: Counts) -> None:
    """Store the values to begin with: no answer, no maximum, no total."""
    memory.store(o_memory, counts, memory.O, 0, np.zeros_like(o_memory))
    memory.store(m_memory, counts, memory.M, 0, np.full_like(m_memory, LOWEST))
    memory.store(l_memory, counts, memory.L, 0, np.zeros_like(l_memory))


@compiled
def arguments(
    q_memory: Floats,
    k_memory: Floats,
    m_memory: Floats,
    counts: Counts,
    operations: Operations,
    group: KeyTile,
    scale: np.float32,
    weights: NDArray[np.float32],
    factors: NDArray[np.float32],
) -> None:
    """Fill in the exponents of one key tile's weights and of both factors; store the maxima.

    `weights[t, j, r]` becomes the score of the j-th key in row r of query tile t - the largest of
    the key tile, `factors[0, row]` the old maximum - the new one, and `factors[1, row]` the key
    tile's own largest - the new maximum.
    """
    n, d, br, causal, first_key, last_key = group
    keys = last_key - first_key
    taken = memory.load(k_memory, counts, memory.K, first_key * d, last_key * d)
    k = taken.reshape((keys, d))
    for t, first in enumerate(range(first_query(group), n, br)):
        last = min(first + br, n)
        rows = last - first
        of_rows = Workgroup(n, d, keys, causal, first, last)
        q = tiles.load_query_tile(q_memory, counts, operations, of_rows, scale)
        s = np.empty((keys, rows), np.float32)
        tiles.score_tile(q, k, causal, first, first_key, operations, s)

        tile_maximum = s[0].copy()
        for j in range(1, keys):
            for r in range(first_row(causal, first_key + j, first), rows):
                tile_maximum[r] = max(tile_maximum[r], s[j, r])
        old = memory.load(m_memory, counts, memory.M, first, last).copy()
        if first_key == 0:  # no sentinel stands in for minus infinity
            old[:] = tile_maximum
        maximum = np.maximum(old, tile_maximum)
        factors[0, first:last] = old - maximum
        factors[1, first:last] = tile_maximum - maximum
        memory.store(m_memory, counts, memory.M, first, maximum)
        for j in range(keys):
            for r in range(first_row(causal, first_key + j, first), rows):
                weights[t, j, r] = s[j, r] - tile_maximum[r]

        seen = pairs(causal, first, rows, first_key, keys)
        operations[memory.COMPARE] += (seen - rows) + rows
        operations[memory.ADD] += seen + 2 * rows
        operations[memory.EXP] += seen + 2 * rows  # each exponent that was just written


@compiled
def combine(
    v_memory: Floats,
    o_memory: Floats,
    l_memory: Floats,
    counts: Counts,
    operations: Operations,
    group: KeyTile,
    rescale: bool,
    weights: NDArray[np.float32],
    factors: NDArray[np.float32],
) -> None:
    """Take up one key tile in every row's total and answer, which is divided each time.

    With `rescale` false the factor on the running total alone is left out: the broken control.
    """
    n, d, br, causal, first_key, last_key = group
    keys = last_key - first_key
    taken = memory.load(v_memory, counts, memory.V, first_key * d, last_key * d)
    v = taken.reshape((keys, d))
    for t, first in enumerate(range(first_query(group), n, br)):
        last = min(first + br, n)
        rows = last - first
        p: Tile = weights[t]
        factor, tile_factor = factors[0, first:last], factors[1, first:last]
        old_total = memory.load(l_memory, counts, memory.L, first, last)
        shrunk = old_total * factor
        tile_sum = p[0, :rows].copy()
        for j in range(1, keys):
            for r in range(first_row(causal, first_key + j, first), rows):
                tile_sum[r] = tile_sum[r] + p[j, r]
        total = (shrunk if rescale else old_total) + tile_sum * tile_factor

        old = memory.load(o_memory, counts, memory.O, first * d, last * d).reshape((rows, d))
        answers = np.empty((rows, d), np.float32)
        for c in range(d):
            tiles.weighted_column(p, v, c, causal, first, first_key, tile_sum)
            for r in range(rows):
                mixed = shrunk[r] * old[r, c] + tile_factor[r] * tile_sum[r]
                answers[r, c] = mixed / total[r]
        memory.store(l_memory, counts, memory.L, first, total)
        memory.store(o_memory, counts, memory.O, first * d, answers.reshape(-1))

        seen = pairs(causal, first, rows, first_key, keys)
        operations[memory.MULTIPLY] += 2 * rows + d * seen + 2 * d * rows
        operations[memory.ADD] += (seen - rows) + rows + d * (seen - rows) + d * rows
        operations[memory.DIVIDE] += d * rows
