"""How far a computed gradient of attention may lie from the exact one, for each element apart.

docs/error-bound.md, "The gradient", derives every term, and no constant in it was measured. It
rests on the bounds of the answer and of its lse, whatever schedule made them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import Arithmetic, gamma
from fusedfacts.attention.error_bound import EVALUATION, BlockBound, score_error
from fusedfacts.attention.gradient import Gradient
from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.problem import Wide
from fusedfacts.attention.reference import Numbers
from fusedfacts.attention.row_terms import CERTIFIED_THETA, VANISHED
from fusedfacts.attention.upper import Sizes


class GradientOrder(NamedTuple):
    """What the bound needs to know of how a schedule computes a gradient.

    Attributes
    ----------
    key_depth, query_depth : int
        Roundings of a term of a sum over keys, and over queries: those of its product, within its
        tile and of all tiles. A sum in any order has one for each term.
    divided : bool
        Whether a share is e^(s - m) / l, and not e^(s - lse).
    from_shares : bool
        Whether D is summed over the shares times dP, and not over dO times O.
    """

    key_depth: int
    query_depth: int
    divided: bool = False
    from_shares: bool = False


class GradientBound(NamedTuple):
    """Bounds of dq, dk and dv.

    They are infinite where `certified` is False: at a query whose shares may be wrong by a factor,
    and at the keys that it sees.
    """

    dq: Wide
    dk: Wide
    dv: Wide
    certified: NDArray[np.bool_]


class _Off(NamedTuple):
    """A table's exact values, and how far computed ones may be off."""

    exact: Wide
    error: Wide

    def summed(self, sizes: Wide, depths: NDArray[np.int64], unit: float) -> Wide:
        """Bound a sum of each row times `sizes`, whose terms pass so many roundings."""
        rounding = gamma(depths.astype(np.float64), unit)[:, None]
        found: Wide = rounding * (np.abs(self.exact) @ sizes)
        return found + (1 + rounding) * (self.error @ sizes)

    @property
    def flipped(self) -> _Off:
        """Give the table with keys as rows."""
        return _Off(self.exact.T, self.error.T)


def gradient_bounds(
    exact: Gradient,
    tensors: tuple[Numbers, Numbers, Numbers, Numbers],
    pattern: Pattern,
    order: GradientOrder,
    forward: BlockBound,
    arithmetic: Arithmetic | None = None,
) -> GradientBound:
    """Bound |computed - exact| of dq, dk and dv, made from q, k, v and do in such an order.

    `forward` bounds the answer and the lse that the schedule starts from.
    """
    arithmetic = arithmetic or Arithmetic()
    u, y = arithmetic.unit, arithmetic.underflow
    q, k, v, do = (np.abs(tensor.astype(np.float64)) for tensor in tensors)
    seen = ~np.isneginf(exact.forward.scores)
    keys, queries = seen.sum(axis=1), seen.sum(axis=0)
    shares, certified = _shares(exact, tensors, pattern, order, forward, arithmetic)
    # Step two: dP; step three: D; step four: dS.
    sums = do @ v.T
    dp = gamma(v.shape[1], u) * sums + v.shape[1] * y
    if order.from_shares:
        product = shares.exact * dp + shares.error * (np.abs(exact.dp) + dp)
        sizes = shares.exact * np.abs(exact.dp)
        inner = _Off(sizes, product).summed(np.ones((len(k), 1)), keys, u)[:, 0] + keys * y
    else:
        wide = np.full(len(do), v.shape[1])
        answers = _Off(do * exact.forward.output, do * forward.output)
        inner = answers.summed(np.ones((v.shape[1], 1)), wide, u)[:, 0] + wide * y
    difference = np.abs(exact.dp - exact.row[:, None])
    off = (1 + u) * (dp + inner[:, None]) + u * difference
    ds_error = shares.exact * off + shares.error * (difference + off)
    ds_error = (1 + u) * ds_error + u * np.abs(exact.ds) + y
    ds = _Off(exact.ds, np.where(seen, ds_error, 0))
    # Step five: the sums over keys and over queries, scaled.
    scaling = pattern.score_roundings - pattern.d
    over_keys = np.minimum(order.key_depth, keys)
    over_queries = np.minimum(order.query_depth, queries)
    dq = exact.scale * ds.summed(k, over_keys + scaling, u)
    dk = exact.scale * ds.flipped.summed(q, over_queries + scaling, u)
    dv = shares.flipped.summed(do, over_queries, u)
    # What underflows in products, and in what is scaled.
    dq += 2 * (keys * (1 + exact.scale) * y)[:, None]
    reached = (np.abs(ds.exact) + ds.error).sum(axis=0)
    dk += ((2 * queries * (1 + exact.scale) + reached) * y)[:, None]
    dv += (queries * y)[:, None]
    dq[~certified] = np.inf
    dk[seen[~certified].any(axis=0)] = np.inf
    dv[seen[~certified].any(axis=0)] = np.inf
    return GradientBound(EVALUATION * dq, EVALUATION * dk, EVALUATION * dv, certified)


def _shares(
    exact: Gradient,
    tensors: tuple[Numbers, Numbers, Numbers, Numbers],
    pattern: Pattern,
    order: GradientOrder,
    forward: BlockBound,
    arithmetic: Arithmetic,
) -> tuple[_Off, NDArray[np.bool_]]:
    """Bound the error of each share that is computed anew (step one), where that says something."""
    q, k, v, _ = tensors
    u = arithmetic.unit
    block = exact.forward
    seen = ~np.isneginf(block.scores)
    delta = np.where(seen, score_error(pattern, Sizes.of(q, k, v), block, arithmetic), 0)
    sees = seen.any(axis=1)
    gap = np.where(seen, np.where(sees, block.lse, 0)[:, None] - block.scores, 0)
    lse = forward.lse[:, None]
    theta = delta + lse + arithmetic.exp / (1 - arithmetic.exp)
    slack = 2 * delta.max(axis=1, keepdims=True) + lse
    theta += (u + arithmetic.exp_slope) * (gap + slack)
    if order.divided:
        theta += arithmetic.division / (1 - arithmetic.division)
    counts = seen & (gap - theta <= VANISHED)
    certified = np.where(counts, theta, 0).max(axis=1) <= CERTIFIED_THETA
    theta = np.where(counts & certified[:, None], theta, 0)
    error = block.shares * np.expm1(theta) + arithmetic.underflow
    return _Off(block.shares, np.where(seen, error, 0)), certified
