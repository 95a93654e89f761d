"""Emulate the fused kernel, one workgroup at a time: scores, shares and mixing in one trip.

Read it beside kernels/fused.wgsl. The kernel walks the key tiles once; here the walk is split
in three so that exp values can come from outside: `arguments` does everything that exp depends
on (it never depends on an exp value), then all exps are taken at once, then `combine` sums.
"""

from __future__ import annotations

import numpy as np

from fusedfacts.emulator import memory
from fusedfacts.emulator import tile as tiles
from fusedfacts.emulator.memory import Counts, Floats, Operations
from fusedfacts.emulator.tile import Tile, Workgroup, first_row, last_key, pairs
from fusedfacts.numerics.jit import compiled


@compiled
def arguments(
    q_memory: Floats,
    k_memory: Floats,
    counts: Counts,
    operations: Operations,
    group: Workgroup,
    scale: np.float32,
    weights: Tile,
    factors: Tile,
) -> None:
    """Fill in the exponents of one query tile's weights and rescale factors.

    `weights[key, r]` becomes score - running maximum after the key's tile, and
    `factors[tile, r]` the old maximum - the new one: 0 where the maximum stays.
    """
    _, d, bc, causal, first, last = group
    rows = last - first
    q = tiles.load_query_tile(q_memory, counts, operations, group, scale)
    s = np.empty((bc, rows), np.float32)
    maximum = np.empty(rows, np.float32)
    end = last_key(group)
    for tile in range((end + bc - 1) // bc):
        first_key = tile * bc
        keys = min(bc, end - first_key)
        taken = memory.load(k_memory, counts, memory.K, first_key * d, (first_key + keys) * d)
        k = taken.reshape((keys, d))
        tiles.score_tile(q, k, causal, first, first_key, operations, s)

        seen_from = first_row(causal, first_key, first)
        for r in range(seen_from, rows):
            factors[tile, r] = s[0, r] if tile == 0 else maximum[r]
            # The first tile seeds the maximum: no sentinel stands in for minus infinity.
            maximum[r] = s[0, r] if tile == 0 else max(maximum[r], s[0, r])
        for j in range(1, keys):
            for r in range(first_row(causal, first_key + j, first), rows):
                maximum[r] = max(maximum[r], s[j, r])
        for r in range(seen_from, rows):
            factors[tile, r] = np.float32(0.0) if tile == 0 else factors[tile, r] - maximum[r]
        for j in range(keys):
            for r in range(first_row(causal, first_key + j, first), rows):
                weights[first_key + j, r] = s[j, r] - maximum[r]

        seen = pairs(causal, first, rows, first_key, keys)
        active = max(0, rows - seen_from)
        operations[memory.COMPARE] += seen - active if tile == 0 else seen
        operations[memory.ADD] += seen + active
        operations[memory.EXP] += seen + active  # each exponent that was just written is taken once


@compiled
def combine(
    v_memory: Floats,
    o_memory: Floats,
    counts: Counts,
    operations: Operations,
    group: Workgroup,
    rescale: bool,
    weights: Tile,
    factors: Tile,
) -> None:
    """Sum the weights and the weighted values tile by tile, divide once, store the answers.

    With `rescale` false the factor on the running total alone is left out: the broken control.
    """
    _, d, bc, causal, first, last = group
    rows = last - first
    total = np.zeros(rows, np.float32)
    mixed = np.zeros((d, rows), np.float32)
    tile_sum = np.empty(rows, np.float32)
    end = last_key(group)
    for tile in range((end + bc - 1) // bc):
        first_key = tile * bc
        keys = min(bc, end - first_key)
        taken = memory.load(v_memory, counts, memory.V, first_key * d, (first_key + keys) * d)
        v = taken.reshape((keys, d))
        p = weights[first_key : first_key + keys]
        seen_from = first_row(causal, first_key, first)

        for r in range(seen_from, rows):
            tile_sum[r] = p[0, r]
        for j in range(1, keys):
            for r in range(first_row(causal, first_key + j, first), rows):
                tile_sum[r] = tile_sum[r] + p[j, r]
        for r in range(seen_from, rows):
            kept = total[r] * factors[tile, r] if rescale else total[r]
            total[r] = kept + tile_sum[r]
        for c in range(d):
            tiles.weighted_column(p, v, c, causal, first, first_key, tile_sum)
            for r in range(seen_from, rows):
                mixed[c, r] = mixed[c, r] * factors[tile, r] + tile_sum[r]

        seen = pairs(causal, first, rows, first_key, keys)
        active = max(0, rows - seen_from)
        operations[memory.MULTIPLY] += active * (1 if rescale else 0) + d * (seen + active)
        operations[memory.ADD] += (seen - active) + active + d * (seen - active) + d * active

    answers = np.ascontiguousarray((mixed / total).T).reshape(-1)
    operations[memory.DIVIDE] += answers.size
    memory.store(o_memory, counts, memory.O, first * d, answers)
