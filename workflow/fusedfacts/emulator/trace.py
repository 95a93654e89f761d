"""The accesses of each kernel, in its own order, by workgroup: what a cache would be asked for.

The kernels are executed as they are counted, on logged memory. Their emulation splits a walk in
parts, so that exps can come from outside; here its accesses are put back into the kernel's order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import problem as tiles
from fusedfacts.attention.problem import Problem
from fusedfacts.emulator import fused as fused_kernel
from fusedfacts.emulator import memory
from fusedfacts.emulator import unfused as unfused_kernels
from fusedfacts.emulator.execute import query_tiles
from fusedfacts.emulator.memory import Counts, Log, no_counts, no_operations
from fusedfacts.emulator.tile import Workgroup


class Trace(NamedTuple):
    """The accesses of one kernel.

    Attributes
    ----------
    kernel : str
    accesses : Log
        Those of one workgroup after another.
    starts : ndarray of int64, shape (workgroups + 1,)
        Where those of each workgroup start, and where the last end.
    """

    kernel: str
    accesses: Log
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, kernel: str, workgroups: list[Log]) -> Trace:
        """Put those of several workgroups one after another."""
        starts = np.cumsum([0, *map(len, workgroups)])
        return cls(kernel, np.concatenate(workgroups), starts)


def fused(problem: Problem, key_rows: int) -> list[Trace]:
    """Trace the fused kernel: a workgroup loads q, then k and v tile by tile, and stores o."""
    n, d = problem.n, problem.d
    zeros, o = np.zeros(n * d, np.float32), np.empty(n * d, np.float32)
    found = []
    for first, last in query_tiles(problem):
        end = last if problem.causal else n
        key_tiles = tiles.ceil_div(end, key_rows)
        group = Workgroup(n, d, key_rows, problem.causal, first, last)
        shared = no_counts(2 + 2 * key_tiles), no_operations(), group
        weights = np.ones((end, last - first), np.float32)
        factors = np.ones((key_tiles, last - first), np.float32)
        scale = problem.float32_scale
        fused_kernel.arguments(zeros, zeros, *shared, scale, weights, factors)
        weights[:], factors[:] = 1, 1  # each exp of zero
        fused_kernel.combine(zeros, o, *shared, True, weights, factors)
        log = logged(shared[0])
        walk = alternating(log[1:-1])
        found.append(np.concatenate([log[:1], walk, log[-1:]]))
    return [Trace.of("fused", found)]


def unfused(problem: Problem) -> list[Trace]:
    """Trace the three unfused kernels; a workgroup of the softmax has one row."""
    n, d, causal = problem.n, problem.d, problem.causal
    zeros, o = np.zeros(n * d, np.float32), np.empty(n * d, np.float32)
    found: dict[str, list[Log]] = {"scores": [], "softmax": [], "mix": []}
    for first, last in query_tiles(problem):
        rows = last - first
        table, weights = np.zeros(rows * n, np.float32), np.ones(rows * n, np.float32)
        ops, scale = no_operations(), problem.float32_scale
        group = Workgroup(n, d, tiles.scores_key_rows(d), causal, first, last)
        pieces = tiles.ceil_div(n, group.key_rows)
        counts = no_counts(1 + pieces * (1 + rows))
        unfused_kernels.scores(zeros, zeros, table, counts, ops, group, scale)
        found["scores"].append(placed(counts, first * n))
        counts = no_counts(2 * rows)
        unfused_kernels.softmax_arguments(table, counts, ops, group, weights)
        weights[:] = 1  # each exp of zero
        unfused_kernels.softmax_shares(table, counts, ops, group, weights)
        found["softmax"] += np.split(alternating(placed(counts, first * n)), rows)
        group = Workgroup(n, d, tiles.MIX_KEY_ROWS[d], causal, first, last)
        pieces = tiles.ceil_div(n, group.key_rows)
        counts = no_counts(1 + pieces * (1 + rows))
        unfused_kernels.mix(table, zeros, o, counts, ops, group)
        found["mix"].append(placed(counts, first * n))
    return [Trace.of(kernel, workgroups) for kernel, workgroups in found.items()]


def logged(counts: Counts) -> Log:
    """Give the accesses that were logged, which must be all."""
    asked = int(counts.asked[0])
    if asked > len(counts.log):
        raise ValueError(f"trace: {asked} accesses, room for {len(counts.log)}")
    return counts.log[:asked]


def placed(counts: Counts, first: int) -> Log:
    """Place accesses of a part of a table, which begins at element `first` of the whole."""
    log = logged(counts)
    log[(log[:, 0] == memory.S) | (log[:, 0] == memory.P), 2] += first
    return log


def alternating(log: Log) -> Log:
    """Merge two walks over the same tiles, one logged after the other, step by step."""
    return log.reshape(2, -1, 4).transpose(1, 0, 2).reshape(-1, 4)
