"""Emulate the three unfused kernels, one query tile at a time, with the table in global memory.

Read them beside kernels/scores.wgsl, softmax.wgsl and mix.wgsl. The caller hands in the part of
the score table and of the share table that belongs to the query tile: rows `first` to `last`,
n columns each, flat. Softmax is split where it needs exp values, as the fused kernel is.
"""

from __future__ import annotations

import numpy as np

from fusedfacts.attention.problem import SOFTMAX_LANES as LANES
from fusedfacts.emulator import memory
from fusedfacts.emulator import tile as tiles
from fusedfacts.emulator.memory import Counts, Floats, Operations
from fusedfacts.emulator.tile import Workgroup, first_row, last_key, pairs
from fusedfacts.numerics.jit import compiled


@compiled
def scores(
    q_memory: Floats,
    k_memory: Floats,
    s_memory: Floats,
    counts: Counts,
    operations: Operations,
    group: Workgroup,
    scale: np.float32,
) -> None:
    """Write the scores of one query tile to the score table."""
    n, d, bc, causal, first, last = group
    rows = last - first
    q = tiles.load_query_tile(q_memory, counts, operations, group, scale)
    s = np.empty((bc, rows), np.float32)
    end = last_key(group)
    for first_key in range(0, end, bc):
        keys = min(bc, end - first_key)
        taken = memory.load(k_memory, counts, memory.K, first_key * d, (first_key + keys) * d)
        tiles.score_tile(q, taken.reshape((keys, d)), causal, first, first_key, operations, s)
        for r in range(rows):
            width = min(keys, first + r + 1 - first_key) if causal else keys
            if width > 0:
                memory.store(s_memory, counts, memory.S, r * n + first_key, s[:width, r].copy())


@compiled
def softmax_arguments(
    s_memory: Floats, counts: Counts, operations: Operations, group: Workgroup, weights: Floats
) -> None:
    """Read each row of scores once and leave score - maximum in `weights`, laid out alike."""
    n, causal, first = group.n, group.causal, group.first
    maximum = np.empty(LANES, np.float32)
    for r in range(group.last - first):
        width = first + r + 1 if causal else n
        row = memory.load(s_memory, counts, memory.S, r * n, r * n + width)
        maximum[: min(LANES, width)] = row[:LANES]
        for column in range(LANES, width):
            maximum[column % LANES] = max(maximum[column % LANES], row[column])
            operations[memory.COMPARE] += 1
        stride = LANES // 2
        while stride > 0:
            for lane in range(min(stride, width - stride)):
                maximum[lane] = max(maximum[lane], maximum[lane + stride])
                operations[memory.COMPARE] += 1
            stride //= 2
        weights[r * n : r * n + width] = row - maximum[0]
        operations[memory.ADD] += width
        operations[memory.EXP] += width  # each exponent that was just written is taken once


@compiled
def softmax_shares(
    p_memory: Floats, counts: Counts, operations: Operations, group: Workgroup, weights: Floats
) -> None:
    """Total each row (lane sums in column order, then a tree), divide, write the shares."""
    n, causal, first = group.n, group.causal, group.first
    total = np.empty(LANES, np.float32)
    for r in range(group.last - first):
        width = first + r + 1 if causal else n
        row = weights[r * n : r * n + width]
        total[: min(LANES, width)] = row[:LANES]
        for column in range(LANES, width):
            total[column % LANES] += row[column]
            operations[memory.ADD] += 1
        stride = LANES // 2
        while stride > 0:
            for lane in range(min(stride, width - stride)):
                total[lane] += total[lane + stride]
                operations[memory.ADD] += 1
            stride //= 2
        operations[memory.DIVIDE] += width
        memory.store(p_memory, counts, memory.P, r * n, row / total[0])


@compiled
def mix(
    p_memory: Floats,
    v_memory: Floats,
    o_memory: Floats,
    counts: Counts,
    operations: Operations,
    group: Workgroup,
) -> None:
    """Mix the values by the shares of one query tile and store the answers."""
    n, d, bc, causal, first, last = group
    rows = last - first
    p = np.empty((bc, rows), np.float32)
    mixed = np.zeros((d, rows), np.float32)
    tile_sum = np.empty(rows, np.float32)
    end = last_key(group)
    for first_key in range(0, end, bc):
        keys = min(bc, end - first_key)
        for r in range(rows):
            width = min(keys, first + r + 1 - first_key) if causal else keys
            if width > 0:
                start = r * n + first_key
                p[:width, r] = memory.load(p_memory, counts, memory.P, start, start + width)
        taken = memory.load(v_memory, counts, memory.V, first_key * d, (first_key + keys) * d)
        v = taken.reshape((keys, d))
        seen_from = first_row(causal, first_key, first)
        for c in range(d):
            tiles.weighted_column(p, v, c, causal, first, first_key, tile_sum)
            for r in range(seen_from, rows):
                mixed[c, r] = mixed[c, r] + tile_sum[r]

        seen = pairs(causal, first, rows, first_key, keys)
        active = max(0, rows - seen_from)
        operations[memory.MULTIPLY] += d * seen
        operations[memory.ADD] += d * (seen - active) + d * active

    memory.store(o_memory, counts, memory.O, first * d, np.ascontiguousarray(mixed.T).reshape(-1))
