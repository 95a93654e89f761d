"""How far a computed attention may lie from the exact answer, for each element apart.

docs/error-bound.md derives every term; `theta`, E, S are its names. The bound is evaluated in
float64 from the actual data. It is a theorem about the order of arithmetic that a
`SummationOrder` describes, in the precision that `Arithmetic` and `Formats` do, not a fit: no
constant in it was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import Arithmetic, Formats, SummationOrder, gamma
from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.problem import Problem, Rows, Wide
from fusedfacts.attention.reference import Block, Extras, Numbers, blocks, scaled
from fusedfacts.attention.row_terms import (
    CERTIFIED_THETA,
    FLOAT64_UNIT,
    VANISHED_64,
    RowTerms,
    deviations,
    row_terms,
)

# The float64 reference and this evaluation err by at most 2^-29 of the terms here for each
# level of depth; docs/error-bound.md, last section.
EVALUATION = 1 + 2.0**-20
# A score that lies surely so far below another weighs nothing, rounded as it may be in any order.
HIDDEN = 2 * VANISHED_64
# Of an answer in float64 itself, the reference may err as much.
EVALUATION_64 = 2.0


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


@dataclass(frozen=True)
class BlockBound:
    """Bounds of a block of rows.

    Attributes
    ----------
    output : ndarray of float64, shape (rows, d_v)
    lse : ndarray of float64, shape (rows,)
        Of the natural logarithm of the total. Of a row that sees nothing there are none: zeros.
    certified : ndarray of bool, shape (rows,)
    """

    output: Wide
    lse: Wide
    certified: NDArray[np.bool_]


def score_error(
    problem: Problem | Pattern,
    q: Numbers,
    k: Numbers,
    block: Block,
    arithmetic: Arithmetic,
    formats: Formats | None = None,
    extras: Extras | None = None,
) -> Wide:
    """Bound |computed score - exact score| of a block's rows, for any order of the sum."""
    formats, extras = formats or Formats(), extras or Extras()
    # Step one: delta = g(d or d + 2) sum |q| |k| scale; step six: and its underflow.
    d, u = problem.d, arithmetic.unit
    wide_q = np.abs(q[block.first : block.last].astype(np.float64))
    wide_k = np.abs(k.astype(np.float64))
    absolute = scaled(wide_q @ wide_k.T, d, problem.scale)
    relative = float(gamma(problem.score_roundings, u))
    for rounded in (formats.operands, formats.scaled):  # twice each: of q, and of k
        twice = 2 * rounded + rounded**2
        relative += twice + relative * twice
    delta: Wide = absolute * relative
    delta += d * arithmetic.underflow * (1 + float(np.abs(k).max(initial=0)))
    scores = block.scores[:, : len(k)]
    seen = ~np.isneginf(scores)
    sizes = np.abs(np.where(seen, scores, 0.0))
    bias = np.zeros(())
    if extras.bias is not None:
        bias = np.abs(np.where(seen, extras.bias[block.first : block.last], 0.0))
    if extras.softcap is not None:
        delta += (2 * u + arithmetic.tanh) * (np.minimum(sizes + bias, extras.softcap) + delta)
    if formats.scores:
        delta += formats.scores * (sizes + bias + delta) + formats.scores_least
    if extras.bias is not None:  # a slope times a distance may make it, and the sum is rounded
        delta += 2 * u * bias + u * (sizes + delta)
        delta += formats.scores * (sizes + delta)
        delta[_hidden(scores, seen, delta)] = 0
    if extras.sink is not None:
        delta = np.hstack([delta, np.full((len(delta), 1), formats.scores * abs(extras.sink))])
    return delta


def _hidden(scores: Wide, seen: NDArray[np.bool_], delta: Wide) -> NDArray[np.bool_]:
    """Find keys that a bias hides: whatever their scores err by, their weights are zero.

    Masks are often made so, of the least finite number or of -1e9, whose rounding alone would be
    more than any score of the others.
    """
    known = np.where(seen, scores, 0.0)
    highest = np.where(seen, scores, -np.inf).argmax(axis=1)[:, None]
    best = np.take_along_axis(known, highest, axis=1) - np.take_along_axis(delta, highest, axis=1)
    found: NDArray[np.bool_] = seen & (best - known - delta > HIDDEN)
    return found


def _mean_bound(
    seen: Wide, depth: int, order: SummationOrder, arithmetic: Arithmetic, formats: Formats
) -> tuple[Wide, Wide]:
    """Bound a mean of the values `seen`, whatever its weights: by their range, and by rounding."""
    sizes = np.abs(seen).max(axis=0)
    rounding = 2 * float(gamma(depth, arithmetic.unit))
    passed = (0.0 if order.online else arithmetic.division, formats.weights, formats.operands)
    for unit in passed:
        rounding += unit * (1 + rounding)
    return seen.max(axis=0) - seen.min(axis=0), sizes * rounding + formats.weights_least * np.abs(
        seen
    ).sum(axis=0)


def _tiles(seen: NDArray[np.bool_], order: SummationOrder) -> list[int]:
    """Count the tiles that each row meets, from its first key to its last.

    A key between that it does not see adds an exact zero.
    """
    first, last = seen.argmax(axis=1), seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
    key_rows = order.mix_rows or 1
    return [int(z // key_rows - a // key_rows) + 1 for a, z in zip(first, last, strict=True)]


def _lse_bound(
    terms: RowTerms, maximum: float, lse: float, width: int, arithmetic: Arithmetic
) -> float:
    """Bound the error of a row's lse: that of its weights, of their sum, of the logarithm."""
    sure = terms.theta <= CERTIFIED_THETA
    weights = min(terms.moved, terms.theta) if sure else terms.theta
    summed = terms.grown * terms.total if sure else terms.rounding + terms.total
    summed += width * arithmetic.underflow
    sizes = abs(lse) + abs(maximum) + (lse - maximum) + terms.theta
    logarithm = arithmetic.log * (1 + lse - maximum) + 2 * arithmetic.unit * sizes
    return weights + summed / (1 - summed) + logarithm


def block_bound(
    block: Block,
    delta: Wide,
    values: Wide,
    order: SummationOrder,
    arithmetic: Arithmetic,
    formats: Formats | None = None,
) -> BlockBound:
    """Bound one block of rows, whose scores may err by `delta`.

    `values` (n_k, d_v) are those of the keys; a sink has none.
    """
    formats = formats or Formats()
    rows, keys = block.scores.shape
    sink = keys > len(values)
    sizes = np.abs(values)
    moving, spread = np.empty((rows, keys)), np.empty((rows, keys))
    seen = ~np.isneginf(block.scores)
    widths = seen.sum(axis=1)
    tiles = _tiles(seen, order)
    exact = np.abs(block.output)
    bound = np.zeros_like(block.output)
    lse = np.zeros(rows)
    certified = np.ones(rows, dtype=bool)
    depths = [
        (order.numerator_depth(width, met), order.denominator_depth(width, met))
        for width, met in zip(widths.tolist(), tiles, strict=True)
    ]
    found: list[RowTerms | None] = []
    for r, width in enumerate(widths.tolist()):
        if not width:
            moving[r] = spread[r] = 0
            found.append(None)
            continue
        tables = block.scores[r], block.shares[r], delta[r]
        machine = arithmetic, formats, sink
        found.append(row_terms(*tables, order, depths[r], *machine, moving[r], spread[r]))
    summed = spread[:, : len(values)] @ sizes
    moved = np.zeros_like(summed)
    deviations(moving[:, : len(values)], values, block.output, moved)
    if sink:  # its value is zero
        moved += moving[:, -1:] * exact
    for r, terms in enumerate(found):
        if terms is None:
            continue
        width = int(widths[r])
        if terms.theta <= CERTIFIED_THETA:
            # Step three: E, and step four: S.
            moved[r] /= terms.least
            bound[r] = moved[r] + terms.grown * (summed[r] + (exact[r] + moved[r]) * terms.total)
        else:
            # "Where it says little": any weight may be wrong, but an answer is a mean of values.
            met = values[seen[r, : len(values)]]
            if sink:
                met = np.vstack([met, np.zeros_like(values[:1])])
            depth = sum(depths[r]) + 2 * tiles[r]
            reach, rounding = _mean_bound(met, depth, order, arithmetic, formats)
            certified[r] = bool(np.all(reach <= rounding))
            bound[r] = reach + rounding
        for _ in range(order.online + (order.splits > 1)):  # step five: the last division
            bound[r] += arithmetic.division * (exact[r] + bound[r])
        # Step six: underflow.
        largest = sizes[seen[:, : len(values)].any(axis=0)].max(axis=0, initial=0)
        flushed = (2 * width + tiles[r]) * (1 + largest + exact[r]) + 1
        bound[r] += arithmetic.underflow * flushed
        maximum = float(block.scores[r].max())
        lse[r] = _lse_bound(terms, maximum, float(block.lse[r]), width, arithmetic)
    bound += formats.output * (exact + bound) + formats.output_least
    evaluation = EVALUATION if arithmetic.unit > FLOAT64_UNIT else EVALUATION_64
    return BlockBound(bound * evaluation, lse * evaluation, certified)


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
    exact: list[Wide] = []
    bounds: list[list[Wide]] = [[] for _ in orders]
    certified = [True] * len(orders)
    for block in blocks(q, k, v, causal=causal, scale=scale):
        exact.append(block.output)
        delta = score_error(problem, q, k, block, arithmetic)
        for i, order in enumerate(orders):
            found = block_bound(block, delta, values, order, arithmetic)
            bounds[i].append(found.output)
            certified[i] = certified[i] and bool(found.certified.all())
    return Bounded(np.concatenate(exact), [np.concatenate(b) for b in bounds], certified)
