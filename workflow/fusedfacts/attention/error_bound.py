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
from fusedfacts.attention.reference import Block, Extras, blocks, scaled
from fusedfacts.attention.row_terms import FLOAT64_UNIT, VANISHED_64, RowTerms, row_terms
from fusedfacts.attention.upper import Sizes

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
    sizes: Sizes,
    block: Block,
    arithmetic: Arithmetic,
    formats: Formats | None = None,
    extras: Extras | None = None,
) -> Wide:
    """Bound |computed score - exact score| of a block's rows, for any order of the sum."""
    formats, extras = formats or Formats(), extras or Extras()
    # Step one: delta = g(d or d + 2) sum |q| |k| scale; step six: and its underflow.
    d, u = problem.d, arithmetic.unit
    # Where q and k are both scaled, two roundings of each root of the scale stand for two of it.
    relative = gamma(d + 4 if formats.scaled else problem.score_roundings, u)
    for rounded in (formats.operands, formats.scaled):  # twice each: of q, and of k
        twice = 2 * rounded + rounded**2
        relative += twice + relative * twice
    delta = sizes.score_sizes(block.first, block.last)
    delta *= scaled(relative, d, problem.scale)
    delta += d * arithmetic.underflow * (1 + sizes.largest_key)
    if extras.bias is not None or extras.softcap is not None or formats.scores:
        _add_after_product(delta, block, arithmetic, formats, extras)
    if extras.sink is not None:
        delta = np.hstack([delta, np.full((len(delta), 1), formats.scores * abs(extras.sink))])
    return delta


def _add_after_product(
    delta: Wide, block: Block, arithmetic: Arithmetic, formats: Formats, extras: Extras
) -> None:
    """Add to the errors of products what a cap, a bias and storing a score cost."""
    u = arithmetic.unit
    scores = block.scores[:, : delta.shape[1]]
    seen = ~np.isneginf(scores)
    sums = np.where(seen, scores, 0.0)
    bias = np.zeros(())
    if extras.bias is not None:
        bias = np.where(seen, extras.bias(block.first, block.last), 0.0)
    sizes = np.abs(sums - bias)
    if extras.softcap is not None:
        # A cap that float32 does not hold is rounded, as its quotient and its product are.
        delta += (3 * u + arithmetic.tanh) * (sizes + delta)
    if formats.scores:
        delta += formats.scores * (sizes + delta) + formats.scores_least
    if extras.bias is not None:  # a slope times a distance may make it, and the sum is rounded
        delta += 2 * u * np.abs(bias) + (u + formats.scores) * (np.abs(sums) + delta)
        delta[_hidden(scores, seen, delta)] = 0


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
    seen: Wide, depth: float, order: SummationOrder, arithmetic: Arithmetic, formats: Formats
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


def _depths(
    widths: NDArray[np.int64], tiles: NDArray[np.int64], order: SummationOrder
) -> NDArray[np.int64]:
    """Count the roundings of a term of each row's numerator, and of its total, but for rescales."""
    kinds, which = np.unique(np.stack([widths, tiles]), axis=1, return_inverse=True)
    each = [(order.numerator_depth(*k), order.denominator_depth(*k)) for k in kinds.T.tolist()]
    return np.array(each)[which.ravel()]


def _tiles(seen: NDArray[np.bool_], order: SummationOrder) -> NDArray[np.int64]:
    """Count the tiles that each row meets, from its first key to its last.

    A key between that it does not see adds an exact zero.
    """
    first, last = seen.argmax(axis=1), seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
    key_rows = order.mix_rows or 1
    tiles: NDArray[np.int64] = last // key_rows - first // key_rows + 1
    return tiles


def _lse_bound(
    terms: RowTerms, maximum: Wide, lse: Wide, widths: NDArray[np.int64], arithmetic: Arithmetic
) -> Wide:
    """Bound the error of each row's lse: that of its weights, of their sum, of the logarithm."""
    sure = terms.sure
    weights = np.where(sure, np.minimum(terms.moved, terms.theta), terms.theta)
    summed = np.where(sure, terms.grown, 1) * terms.total + np.where(sure, 0, terms.rounding)
    summed += widths * arithmetic.underflow
    sizes = np.abs(lse) + np.abs(maximum) + (lse - maximum) + terms.theta
    logarithm = arithmetic.log * (1 + lse - maximum) + 2 * arithmetic.unit * sizes
    bound: Wide = weights + summed / (1 - summed) + logarithm
    return bound


def _common_error(block: Block, slack: Wide, order: SummationOrder, arithmetic: Arithmetic) -> Wide:
    """Bound by how much the weights of all parts of the keys are off alike, in each row."""
    maximum = block.scores.max(axis=1)
    sees = ~np.isneginf(maximum)
    m, lse = (np.where(sees, x, 0.0) for x in (maximum, block.lse))
    u, u_e = arithmetic.unit, arithmetic.exp / (1 - arithmetic.exp)
    error = 3 * u * np.maximum(np.abs(m) + slack, np.abs(lse))
    error += arithmetic.log * (1 + lse - m) + 2 * u_e + gamma(2 * order.splits, u)
    return np.asarray(np.expm1(error))


def block_bound(
    block: Block,
    delta: Wide,
    sizes: Sizes,
    order: SummationOrder,
    arithmetic: Arithmetic,
    formats: Formats | None = None,
) -> BlockBound:
    """Bound one block of rows, whose scores may err by `delta`; a sink is one more key."""
    formats = formats or Formats()
    rows, keys = block.scores.shape
    of_values = len(sizes.values)
    sink = keys > of_values
    seen = ~np.isneginf(block.scores)
    widths = np.count_nonzero(seen, axis=1)
    tiles = _tiles(seen[:, :of_values], order) + sink
    depths = _depths(widths, tiles, order)
    exact = np.abs(block.output)
    moving, spread = (np.empty((rows, keys), sizes.values.dtype) for _ in range(2))
    tables = block.scores, block.shares, delta
    terms = row_terms(*tables, order, depths, arithmetic, formats, sink, moving, spread)
    summed = sizes.weighed(spread[:, :of_values])
    moved = sizes.deviations(moving[:, :of_values], block.output)
    if sink:  # its value is zero
        moved += moving[:, -1:] * exact
    sees = widths > 0
    trusted = terms.sure & sees
    # Step three: E, and step four: S.
    moved /= np.where(trusted, terms.least, 1)[:, None]
    grown = np.where(trusted, terms.grown, 1)[:, None]
    bound = moved + grown * (summed + (exact + moved) * terms.total[:, None])
    certified = np.ones(rows, dtype=bool)
    for r in np.flatnonzero(~terms.sure & sees):
        # "Where it says little": any weight may be wrong, but an answer is a mean of values.
        met = sizes.values[seen[r, :of_values]].astype(np.float64)
        if sink:
            met = np.vstack([met, np.zeros_like(met[:1])])
        depth = float(depths[r].sum() + 2 * tiles[r])
        if order.stored:  # and of a whole answer in each tile
            depth += 3 * (tiles[r] - 1) + tiles[r] * arithmetic.division / arithmetic.unit
        reach, rounding = _mean_bound(met, depth, order, arithmetic, formats)
        certified[r] = bool(np.all(reach <= rounding))
        bound[r] = reach + rounding
    last = order.online and not order.stored  # whose divisions step four has counted
    for _ in range(last + (order.splits > 1)):  # step five: the last division
        bound += arithmetic.division * (exact + bound)
    if order.splits > 1:
        slack = np.where(seen, delta, 0).max(axis=1)
        bound += _common_error(block, slack, order, arithmetic)[:, None] * (exact + bound)
    # Step six: underflow.
    anywhere = seen[:, :of_values].any(axis=0)
    largest = sizes.largest
    if not anywhere.all():
        largest = sizes.value_sizes[anywhere].max(axis=0, initial=0).astype(np.float64)
    small = 2 * widths + tiles * (1 + order.stored)
    bound += arithmetic.underflow * (small[:, None] * (1 + largest + exact) + 1)
    bound += formats.output * (exact + bound) + formats.output_least
    evaluation = EVALUATION if arithmetic.unit > FLOAT64_UNIT else EVALUATION_64
    bound *= evaluation
    bound[~sees] = 0
    lse = np.zeros(rows)
    maximum = block.scores.max(axis=1)
    some = RowTerms(*(of_rows[sees] for of_rows in terms))
    lse[sees] = _lse_bound(some, maximum[sees], block.lse[sees], widths[sees], arithmetic)
    return BlockBound(bound, lse * evaluation, certified)


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
    sizes = Sizes.of(q, k, v)
    exact: list[Wide] = []
    bounds: list[list[Wide]] = [[] for _ in orders]
    certified = [True] * len(orders)
    for block in blocks(q, k, v, causal=causal, scale=scale):
        exact.append(block.output)
        delta = score_error(problem, sizes, block, arithmetic)
        for i, order in enumerate(orders):
            found = block_bound(block, delta, sizes, order, arithmetic)
            bounds[i].append(found.output)
            certified[i] = certified[i] and bool(found.certified.all())
    return Bounded(np.concatenate(exact), [np.concatenate(b) for b in bounds], certified)
