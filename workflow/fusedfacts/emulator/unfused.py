"""Emulate the three unfused kernels, one query tile at a time, with the table in global memory.

Read them beside kernels/scores.wgsl, softmax.wgsl and mix.wgsl. The caller hands in the part of
the score table and of the share table that belongs to the query tile: rows `first` to `last`,
n columns each, flat. Softmax is split where it needs exp values, as the fused kernel is.
"""

from __future__ import annotations

import numpy as np

from fusedfacts.emulator.memory import (
    ADD,
    COMPARE,
    DIVIDE,
    EXP,
    MULTIPLY,
    Counts,
    Floats,
    K,
    O,
    Operations,
    P,
    S,
    V,
    load,
    store,
)
from fusedfacts.emulator.tile import (
    Workgroup,
    first_row,
    last_key,
    load_query_tile,
    pairs,
    score_tile,
    weighted_column,
)
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
    q = load_query_tile(q_memory, counts, operations, group, scale)
    s = np.empty((bc, rows), np.float32)
    end = last_key(group)
    for first_key in range(0, end, bc):
        keys = min(bc, end - first_key)
        taken = load(k_memory, counts, K, first_key * d, (first_key + keys) * d)
        score_tile(q, taken.reshape((keys, d)), causal, first, first_key, operations, s)
        for r in range(rows):
            width = min(keys, first + r + 1 - first_key) if causal else keys
            if width > 0:
                store(s_memory, counts, S, r * n + first_key, s[:width, r].copy())


@compiled
def softmax_arguments(
    s_memory: Floats,
    counts: Counts,
    operations: Operations,
    n: int,
    causal: bool,
    lanes: int,
    first: int,
    last: int,
    weights: Floats,
) -> None:
    """Read each row of scores once and leave score - maximum in `weights`, laid out alike."""
    lane_maximum = np.empty(lanes, np.float32)
    for r in range(last - first):
        width = first + r + 1 if causal else n
        row = load(s_memory, counts, S, r * n, r * n + width)
        for column in range(width):
            lane = column % lanes
            if column < lanes:
                lane_maximum[lane] = row[column]
            else:
                lane_maximum[lane] = max(lane_maximum[lane], row[column])
                operations[COMPARE] += 1
        stride = lanes // 2
        while stride > 0:
            for lane in range(min(stride, width - stride)):
                lane_maximum[lane] = max(lane_maximum[lane], lane_maximum[lane + stride])
                operations[COMPARE] += 1
            stride //= 2
        for column in range(width):
            weights[r * n + column] = row[column] - lane_maximum[0]
        operations[ADD] += width
        operations[EXP] += width  # each exponent that was just written is taken once


@compiled
def softmax_shares(
    p_memory: Floats,
    counts: Counts,
    operations: Operations,
    n: int,
    causal: bool,
    lanes: int,
    first: int,
    last: int,
    weights: Floats,
) -> None:
    """Total each row (lane sums in column order, then a tree), divide, write the shares."""
    lane_total = np.empty(lanes, np.float32)
    shares = np.empty(n, np.float32)
    for r in range(last - first):
        width = first + r + 1 if causal else n
        row = weights[r * n : r * n + width]
        for column in range(width):
            lane = column % lanes
            if column < lanes:
                lane_total[lane] = row[column]
            else:
                lane_total[lane] = lane_total[lane] + row[column]
                operations[ADD] += 1
        stride = lanes // 2
        while stride > 0:
            for lane in range(min(stride, width - stride)):
                lane_total[lane] = lane_total[lane] + lane_total[lane + stride]
                operations[ADD] += 1
            stride //= 2
        for column in range(width):
            shares[column] = row[column] / lane_total[0]
        operations[DIVIDE] += width
        store(p_memory, counts, P, r * n, shares[:width])


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
                shares = load(p_memory, counts, P, start, start + width)
                for j in range(width):
                    p[j, r] = shares[j]
        taken = load(v_memory, counts, V, first_key * d, (first_key + keys) * d)
        v = taken.reshape((keys, d))
        seen_from = first_row(causal, first_key, first)
        for c in range(d):
            weighted_column(p, v, c, causal, first, first_key, tile_sum)
            for r in range(seen_from, rows):
                mixed[c, r] = mixed[c, r] + tile_sum[r]

        seen = pairs(causal, first, rows, first_key, keys)
        active = max(0, rows - seen_from)
        operations[MULTIPLY] += d * seen
        operations[ADD] += d * (seen - active) + d * active

    answers = np.empty(rows * d, np.float32)
    for r in range(rows):
        for c in range(d):
            answers[r * d + c] = mixed[c, r]
    store(o_memory, counts, O, first * d, answers)
