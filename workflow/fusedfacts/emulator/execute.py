"""Execute the emulated kernels over all workgroups and collect answer, traffic and arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import problem as tiles
from fusedfacts.attention.problem import Problem, Rows, Scores
from fusedfacts.emulator import fused as fused_kernel
from fusedfacts.emulator import kv_outer as kv_outer_kernels
from fusedfacts.emulator import memory
from fusedfacts.emulator import unfused as unfused_kernels
from fusedfacts.emulator.memory import Counts, Floats, Operations, no_counts, no_operations
from fusedfacts.emulator.tile import Workgroup
from fusedfacts.numerics.exponential import Exponential, exp

UNFUSED = ("scores", "softmax", "mix")
KV_OUTER = ("kv_start", "kv_outer")


@dataclass
class Execution:
    """What a method did: its answer, and what each kernel asked for.

    Attributes
    ----------
    output : ndarray of float32, shape (n, d)
    counts : dict of kernel name to Counts
        What it asked of global memory.
    operations : ndarray of int64, shape (5 kinds,)
    tables : dict of str to ndarray of float32, shape (n, n) or (n, 1)
        The score table "s" and the share table "p", if asked for, or the totals "l"; NaN where
        nothing was written.
    """

    output: Rows
    counts: dict[str, Counts]
    operations: Operations = field(default_factory=no_operations)
    tables: dict[str, Scores] = field(default_factory=dict)

    def traffic(self) -> dict[str, dict[str, dict[str, int]]]:
        """Give elements moved, {kernel: {buffer: {"loads", "stores"}}}, zeros left out."""
        return {
            kernel: {
                name: {"loads": int(counts.moved[i, 0]), "stores": int(counts.moved[i, 1])}
                for i, name in enumerate(memory.BUFFERS)
                if counts.moved[i].any()
            }
            for kernel, counts in self.counts.items()
        }

    def arithmetic(self) -> dict[str, int]:
        """Give operations by kind."""
        return {kind: int(count) for kind, count in zip(memory.KINDS, self.operations, strict=True)}


def _flat(*tensors: NDArray[np.float32]) -> list[Floats]:
    return [np.ascontiguousarray(tensor, dtype=np.float32).reshape(-1) for tensor in tensors]


def query_tiles(problem: Problem) -> Iterator[tuple[int, int]]:
    """Cut the queries into tiles: the first row of each, and the row after its last."""
    rows = tiles.query_rows(problem.d)
    for first in range(0, problem.n, rows):
        yield first, min(first + rows, problem.n)


def fused(
    q: Rows,
    k: Rows,
    v: Rows,
    *,
    causal: bool = False,
    scale: float | None = None,
    key_rows: int | None = None,
    rescale: bool = True,
    exponential: Exponential = exp,
) -> Execution:
    """Compute attention by the fused kernel.

    Parameters
    ----------
    q, k, v : Rows
    causal, scale
        As in `Problem`.
    key_rows : int, optional
        Rows of a key tile, 1024 / d by default.
    rescale : bool
        False leaves out the factor on the running total: the broken control.
    exponential : callable
        Takes and gives a float32 array; a device's own exp goes in here.

    Examples
    --------
    >>> x = np.ones((3, 16), dtype=np.float32)
    >>> executed = fused(x, x, x)
    >>> executed.traffic()["fused"]["k"]
    {'loads': 48, 'stores': 0}
    """
    problem = Problem.of(q, causal=causal, scale=scale)
    n, d = q.shape
    bc = key_rows or tiles.fused_key_rows(d)
    q_memory, k_memory, v_memory = _flat(q, k, v)
    output = np.full(n * d, np.nan, dtype=np.float32)
    executed = Execution(output.reshape(n, d), {"fused": no_counts()})
    counts, operations = executed.counts["fused"], executed.operations
    for first, last in query_tiles(problem):
        group = Workgroup(n, d, bc, causal, first, last)
        end = last if causal else n
        # Exponents of 0 where a pair is masked: never read, but exp must not see rubbish.
        weights = np.zeros((end, last - first), dtype=np.float32)
        factors = np.zeros((tiles.ceil_div(end, bc), last - first), dtype=np.float32)
        shared = (counts, operations, group)
        fused_kernel.arguments(q_memory, k_memory, *shared, problem.float32_scale, weights, factors)
        weights, factors = exponential(weights), exponential(factors)
        fused_kernel.combine(v_memory, output, *shared, rescale, weights, factors)
    return executed


def kv_outer(
    q: Rows,
    k: Rows,
    v: Rows,
    *,
    causal: bool = False,
    scale: float | None = None,
    key_rows: int | None = None,
    rescale: bool = True,
    exponential: Exponential = exp,
) -> Execution:
    """Compute attention in the loop order of Algorithm 1: key tiles outside, query tiles inside.

    Parameters and result are those of `fused`.

    Examples
    --------
    >>> x = np.ones((3, 16), dtype=np.float32)
    >>> kv_outer(x, x, x, key_rows=2).traffic()["kv_outer"]["o"]
    {'loads': 96, 'stores': 96}
    """
    problem = Problem.of(q, causal=causal, scale=scale)
    n, d = q.shape
    bc, br = key_rows or tiles.fused_key_rows(d), tiles.query_rows(d)
    q_memory, k_memory, v_memory = _flat(q, k, v)
    o_memory, m_memory, l_memory = (np.full(s, np.nan, np.float32) for s in (n * d, n, n))
    executed = Execution(o_memory.reshape(n, d), {name: no_counts() for name in KV_OUTER})
    counts, ops = executed.counts["kv_outer"], executed.operations
    kv_outer_kernels.initial(o_memory, m_memory, l_memory, executed.counts["kv_start"])
    for first in range(0, n, bc):
        group = kv_outer_kernels.KeyTile(n, d, br, causal, first, min(first + bc, n))
        # Exponents of 0 where a pair is masked: never read, but exp must not see rubbish.
        weights = np.zeros((tiles.ceil_div(n, br), group.last - first, br), dtype=np.float32)
        factors = np.zeros((2, n), dtype=np.float32)
        shared = (counts, ops, group)
        scale32 = problem.float32_scale
        memories = q_memory, k_memory, m_memory
        kv_outer_kernels.arguments(*memories, *shared, scale32, weights, factors)
        weights, factors = exponential(weights), exponential(factors)
        memories = v_memory, o_memory, l_memory
        kv_outer_kernels.combine(*memories, *shared, rescale, weights, factors)
    executed.tables = {"l": l_memory.reshape(n, 1)}
    return executed


def unfused(
    q: Rows,
    k: Rows,
    v: Rows,
    *,
    causal: bool = False,
    scale: float | None = None,
    exponential: Exponential = exp,
    keep_tables: bool = False,
) -> Execution:
    """Compute attention by three kernels, the table going through global memory four times.

    Parameters and result are those of `fused`. The table never exists whole unless it is asked
    for: the three kernels are run for one query tile after another, which leaves every count as
    it is.
    """
    problem = Problem.of(q, causal=causal, scale=scale)
    n, d = q.shape
    q_memory, k_memory, v_memory = _flat(q, k, v)
    output = np.full(n * d, np.nan, dtype=np.float32)
    executed = Execution(output.reshape(n, d), {kernel: no_counts() for kernel in UNFUSED})
    counts, ops = executed.counts, executed.operations
    rows_of: dict[str, list[Floats]] = {"s": [], "p": []}
    for first, last in query_tiles(problem):
        s_memory = np.full((last - first) * n, np.nan, dtype=np.float32)
        p_memory = np.full_like(s_memory, np.nan)
        weights = np.zeros_like(s_memory)
        group = Workgroup(n, d, tiles.scores_key_rows(d), causal, first, last)
        scale32 = problem.float32_scale
        unfused_kernels.scores(q_memory, k_memory, s_memory, counts["scores"], ops, group, scale32)
        unfused_kernels.softmax_arguments(s_memory, counts["softmax"], ops, group, weights)
        weights = exponential(weights)
        unfused_kernels.softmax_shares(p_memory, counts["softmax"], ops, group, weights)
        group = Workgroup(n, d, tiles.MIX_KEY_ROWS[d], causal, first, last)
        unfused_kernels.mix(p_memory, v_memory, output, counts["mix"], ops, group)
        if keep_tables:
            rows_of["s"].append(s_memory)
            rows_of["p"].append(p_memory)
    if keep_tables:
        executed.tables = {
            name: np.concatenate(rows).reshape(n, n) for name, rows in rows_of.items()
        }
    return executed


def score_blocks(
    q: Rows, k: Rows, *, causal: bool = False, scale: float | None = None
) -> Iterator[tuple[int, Scores]]:
    """Compute scores, one query tile after another: the same bits fused and unfused.

    Each block comes with its first row; a masked pair is minus infinity.
    """
    problem = Problem.of(q, causal=causal, scale=scale)
    n, d = q.shape
    q_memory, k_memory = _flat(q, k)
    for first, last in query_tiles(problem):
        s_memory = np.full((last - first) * n, -np.inf, dtype=np.float32)
        group = Workgroup(n, d, tiles.scores_key_rows(d), causal, first, last)
        ignored = no_counts(), no_operations()
        scale32 = problem.float32_scale
        unfused_kernels.scores(q_memory, k_memory, s_memory, *ignored, group, scale32)
        yield first, s_memory.reshape(last - first, n)


def softmax_rows(scores: Scores, *, exponential: Exponential = exp) -> Scores:
    """Run the softmax kernel alone, on rows of scores.

    >>> softmax_rows(np.zeros((1, 4), dtype=np.float32))
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    rows, n = scores.shape
    flat = _flat(scores)[0]
    weights, shares = np.zeros_like(flat), np.full_like(flat, np.nan)
    ignored = no_counts(), no_operations(), Workgroup(n, 0, 0, False, 0, rows)
    unfused_kernels.softmax_arguments(flat, *ignored, weights)
    unfused_kernels.softmax_shares(shares, *ignored, exponential(weights))
    return shares.reshape(rows, n)
