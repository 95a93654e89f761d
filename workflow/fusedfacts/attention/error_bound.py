"""How far a float32 attention may lie from the exact answer, for each element apart.

docs/error-bound.md derives every term; `theta`, E, S are its names. The bound is evaluated in
float64 from the actual data. It is a theorem about the order of arithmetic that a
`SummationOrder` describes, not a fit: no constant in it was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import Arithmetic, SummationOrder, gamma
from fusedfacts.attention.problem import Problem, Rows, Wide, ceil_div
from fusedfacts.attention.reference import Block, blocks, scaled
from fusedfacts.numerics.jit import compiled

# e^-104 is less than half of the least float32: a weight this far below the maximum is 0.
VANISHED = 104.0
# Beyond this exponent error a weight's error is no longer small, and any weight may be wrong.
CERTIFIED_THETA = 0.1
# The float64 reference and this evaluation err by at most 2^-29 of the terms here for each
# level of depth; docs/error-bound.md, last section.
EVALUATION = 1 + 2.0**-20


@dataclass(frozen=True)
class Bounded:
    """The exact answer with a bound for each element of each order.

    Attributes
    ----------
    exact : ndarray of float64, shape (n, d)
    bounds : list of ndarray of float64, shape (n, d)
        One for each order asked for.
    certified : list of bool
        False where the bound of some row says little: an exponent error exceeds
        `CERTIFIED_THETA`, so that any weight may be wrong, and the values that it weighs lie
        further apart than the sums may round.
    """

    exact: Wide
    bounds: list[Wide]
    certified: list[bool]


def score_error(problem: Problem, q: Rows, k: Rows, rows: slice, arithmetic: Arithmetic) -> Wide:
    """Bound |computed score - exact score| of some rows, for any order of the sum."""
    # Step one: delta = g(d or d + 2) sum |q| |k| scale; step six: and its underflow.
    d = problem.d
    wide_q, wide_k = np.abs(q[rows].astype(np.float64)), np.abs(k.astype(np.float64))
    absolute = scaled(wide_q @ wide_k.T, d, problem.scale)
    relative = float(gamma(problem.score_roundings, arithmetic.unit))
    underflow = d * arithmetic.underflow * (1 + float(np.abs(k).max(initial=0)))
    delta: Wide = absolute * relative + underflow
    return delta


@compiled
def possible_rises(scores: Wide, slack: float, key_rows: int) -> NDArray[np.int64]:
    """Count for each key tile how often a row's maximum may still rise after it.

    Computed scores differ from the exact `scores` (keys,) by up to `slack`, so a near tie counts
    as a rise.
    """
    tiles = (scores.size + key_rows - 1) // key_rows
    may_rise = np.zeros(tiles, np.int64)
    running = scores[0]
    for tile in range(tiles):
        tile_maximum = scores[tile * key_rows : (tile + 1) * key_rows].max()
        if tile > 0 and tile_maximum + slack > running - slack:
            may_rise[tile] = 1
        running = max(running, tile_maximum)
    after = np.zeros(tiles, np.int64)
    for tile in range(tiles - 2, -1, -1):
        after[tile] = after[tile + 1] + may_rise[tile + 1]
    return after


@compiled
def _row_bound(
    scores: Wide,
    shares: Wide,
    delta: Wide,
    values: Wide,
    exact: Wide,
    order: SummationOrder,
    depths: tuple[int, int],
    arithmetic: Arithmetic,
    out: Wide,
) -> float:
    """Evaluate E + S of one row (docs/error-bound.md) into out[c]; return its largest theta.

    Where that exceeds `CERTIFIED_THETA`, `out` is left as it was.
    """
    width, d, key_rows = scores.size, values.shape[1], order.mix_rows
    u, u_e, slope = arithmetic.unit, arithmetic.exp, arithmetic.exp_slope
    u_share = 0.0 if order.online else arithmetic.division
    numerator, denominator = depths
    highest = scores.argmax()
    slack, m = delta.max(), scores[highest]
    tiles = (width + key_rows - 1) // key_rows
    rises = possible_rises(scores, slack, key_rows) if order.online else np.zeros(tiles, np.int64)
    moved, summed = np.zeros(d), np.zeros(d)
    z = total = largest_theta = largest_c = 0.0
    for tile in range(tiles):
        r = rises[tile]
        # Step four: what a term of the numerator passes, and one of the total.
        a = (numerator + r) * u / (1.0 - (numerator + r) * u)
        a = a + u_share + a * u_share
        c = (denominator + r) * u / (1.0 - (denominator + r) * u)
        largest_c = max(largest_c, c)
        for i in range(tile * key_rows, min((tile + 1) * key_rows, width)):
            # Step two: the error of the exponent.
            gap = m - scores[i]
            exps = (1 + r) * u_e / (1.0 - u_e)
            theta = delta[i] + (u + slope) * (gap + 2.0 * slack) + exps
            if gap - theta - delta[highest] > VANISHED:
                continue  # step six: its weight is 0 in float32; the underflow term covers it
            largest_theta = max(largest_theta, theta)
            z += shares[i] * (1.0 - theta)  # e^-theta is no less
            total += shares[i] * c
            # Step three: the sum of E, and step four: the numerator's sum of S.
            weight = shares[i] * theta * (1.0 + theta)  # expm1(theta) is no more while theta < 1
            spread = shares[i] * a
            for j in range(d):
                moved[j] += weight * abs(values[i, j] - exact[j])
                summed[j] += spread * abs(values[i, j])
    if largest_theta > CERTIFIED_THETA:
        return largest_theta  # the caller has another bound for such a row; `z` may be 0
    grown = (1.0 + largest_theta + largest_theta * largest_theta) / ((1.0 - largest_c) * z)
    for j in range(d):
        moved[j] = moved[j] / z  # step three: E
        out[j] = moved[j] + grown * (summed[j] + (abs(exact[j]) + moved[j]) * total)  # four: S
    return largest_theta


def _mean_bound(
    seen: Wide, sizes: Wide, depth: int, order: SummationOrder, arithmetic: Arithmetic
) -> tuple[Wide, Wide]:
    """Bound a mean of the values `seen`, whatever its weights: by their range, and by rounding."""
    rounding = 2 * float(gamma(depth, arithmetic.unit))
    if not order.online:
        rounding += arithmetic.division * (1 + rounding)  # of the shares
    return seen.max(axis=0) - seen.min(axis=0), sizes * rounding


def _block_bound(
    block: Block,
    delta: Wide,
    values: Wide,
    largest: Wide,
    order: SummationOrder,
    arithmetic: Arithmetic,
    causal: bool,
) -> tuple[Wide, bool]:
    """Bound one block of rows, and tell whether the bound of each says something.

    `largest[i]` holds each column's largest |v| over keys up to i.
    """
    bound = np.empty_like(block.output)
    certified = True
    for r, row in enumerate(range(block.first, block.last)):
        width = row + 1 if causal else len(values)
        seen, exact, sizes = values[:width], block.output[r], largest[width - 1]
        depths = order.numerator_depth(width), order.denominator_depth(width)
        tiles = ceil_div(width, order.mix_rows)
        parts = block.scores[r, :width], block.shares[r, :width], delta[r, :width]
        # Steps two to four: E + S.
        theta = _row_bound(*parts, seen, exact, order, depths, arithmetic, bound[r])
        if theta > CERTIFIED_THETA:
            # "Where it says little": any weight may be wrong, but an answer is a mean of values.
            reach, rounding = _mean_bound(seen, sizes, sum(depths) + 2 * tiles, order, arithmetic)
            certified &= bool(np.all(reach <= rounding))
            bound[r] = reach + rounding
        if order.online:  # step five: the last division
            bound[r] += arithmetic.division * (np.abs(exact) + bound[r])
        # Step six: underflow.
        flushed = (2 * width + tiles) * (1 + sizes + np.abs(exact)) + 1
        bound[r] += arithmetic.underflow * flushed
    return bound * EVALUATION, certified


def attention_bounds(
    q: Rows,
    k: Rows,
    v: Rows,
    orders: Sequence[SummationOrder],
    *,
    causal: bool = False,
    scale: float | None = None,
    arithmetic: Arithmetic | None = None,
) -> Bounded:
    """Compute the exact attention and, for each order, how far an answer may lie from it.

    The arithmetic is that of IEEE float32 and our own exp by default.

    >>> from fusedfacts.attention.arithmetic import fused_order
    >>> x = np.ones((4, 16), dtype=np.float32)
    >>> bounded = attention_bounds(x, x, x, [fused_order(16)])
    >>> bool(np.all(bounded.bounds[0] < 1e-5)), bounded.certified
    (True, [True])
    """
    problem = Problem.of(q, causal=causal, scale=scale)
    arithmetic = arithmetic or Arithmetic()
    values = v.astype(np.float64)
    largest = np.maximum.accumulate(np.abs(values), axis=0)
    exact: list[Wide] = []
    bounds: list[list[Wide]] = [[] for _ in orders]
    certified = [True] * len(orders)
    for block in blocks(q, k, v, causal=causal, scale=scale):
        exact.append(block.output)
        delta = score_error(problem, q, k, slice(block.first, block.last), arithmetic)
        for i, order in enumerate(orders):
            bound, sure = _block_bound(block, delta, values, largest, order, arithmetic, causal)
            bounds[i].append(bound)
            certified[i] = certified[i] and sure
    return Bounded(np.concatenate(exact), [np.concatenate(b) for b in bounds], certified)
