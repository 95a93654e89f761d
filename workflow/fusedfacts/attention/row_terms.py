"""Rows of the bound: what each key's error weighs (docs/error-bound.md, steps two to four).

Loops over the keys of a row alone. What meets the values is left as weights, so that a block of
rows can be summed by matrix products (`error_bound`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import Arithmetic, Formats, SummationOrder
from fusedfacts.attention.problem import Wide
from fusedfacts.attention.rescales import rescales_of_keys
from fusedfacts.numerics.jit import compiled, compiled_sums

# e^-104 is less than half of the least float32: a weight this far below the maximum is 0.
VANISHED = 104.0
# The same of float64, whose least number is 2^-1074.
VANISHED_64 = 746.0
FLOAT64_UNIT = 2.0**-53
# Beyond this exponent error a weight's error is no longer small, and any weight may be wrong.
CERTIFIED_THETA = 0.7
SIXTH = 1.0 / 6.0


class RowTerms(NamedTuple):
    """What the keys of each row sum to, as arrays of shape (rows,).

    Attributes
    ----------
    theta
        The largest exponent error of a key that counts.
    least
        Z, no more than the sum of all computed weights over that of the exact ones.
    total
        The total's rounding errors, weighed by shares.
    moved
        The exponents' errors, weighed by shares.
    rounding
        The largest rounding error of a term of the total.
    """

    theta: Wide
    least: Wide
    total: Wide
    moved: Wide
    rounding: Wide

    @property
    def sure(self) -> NDArray[np.bool_]:
        """Tell which rows have weights that can be trusted."""
        found: NDArray[np.bool_] = self.theta <= CERTIFIED_THETA
        return found

    @property
    def grown(self) -> Wide:
        """Give G, by which errors of the sums may grow; infinite where weights are not sure."""
        found: Wide = np.full_like(self.theta, np.inf)
        grown = 1 + self.theta + self.theta**2
        np.divide(grown, (1 - self.rounding) * self.least, out=found, where=self.sure)
        return found


class _Row(NamedTuple):
    """What is the same for all keys of a row: its maximum and that one's share and error.

    `slack` is the largest error of any score, and each depth counts roundings but for rescales.
    """

    maximum: float
    share: float
    error: float
    slack: float
    numerator: float
    denominator: float


@compiled
def _key_depths(
    scores: Wide,
    rescales: Wide,
    row: _Row,
    order: SummationOrder,
    arithmetic: Arithmetic,
    over: Wide,
    under: Wide,
) -> None:
    """Count the roundings of each key's term of the numerator, and of the total (step four)."""
    seen = scores.size
    while scores[seen - 1] == -np.inf:
        seen -= 1
    divided = arithmetic.division / arithmetic.unit  # a division, in roundings
    for i in range(scores.size):
        over[i] = row.numerator + rescales[i]
        under[i] = row.denominator + rescales[i]
        if order.stored:  # a product, a sum and a division for each later tile
            later = max(0, (seen - 1) // order.mix_rows - i // order.mix_rows)
            over[i] += 2 * later + (later + 1) * divided
            under[i] += later


@compiled_sums
def _exponent_errors(
    scores: Wide,
    delta: Wide,
    rescales: Wide,
    row: _Row,
    arithmetic: Arithmetic,
    splits: int,
    theta: Wide,
) -> None:
    """Bound the error of each key's exponent (step two); that of a key without weight is -1."""
    u, u_e = arithmetic.unit, arithmetic.exp / (1.0 - arithmetic.exp)
    m, slack = row.maximum, row.slack
    folds = 1.0 if arithmetic.folded else 0.0
    joins = 1.0 if splits > 1 else 0.0
    log_total = -np.log(row.share)
    lse = abs(m + log_total)
    slope = (1.0 + 2.0 * folds) * u + arithmetic.exp_slope
    # A part's lse weighs its keys; its maximum is no less than their scores.
    steep = slope + joins * arithmetic.log
    fixed = 2.0 * slope * slack + joins * (arithmetic.log * (1.0 + log_total) + 2.0 * u_e)
    vanished = VANISHED if u > FLOAT64_UNIT else VANISHED_64
    # No branches but choices between two numbers: several keys are worked on at once.
    for i in range(scores.size):
        gap = m - scores[i]
        exponentials = 1.0 + rescales[i]
        size = max(abs(scores[i]), abs(m)) + slack
        error = delta[i] + steep * gap + fixed + exponentials * u_e
        error += folds * u * size * exponentials + joins * 3.0 * u * max(size, lse)
        # Step six: a weight that is 0 does not count; the underflow term covers it.
        counts = scores[i] > -np.inf and not gap - error - row.error > vanished
        theta[i] = error if counts else -1.0


@compiled_sums
def _sum_row(
    shares: Wide,
    theta: Wide,
    over: Wide,
    under: Wide,
    row: _Row,
    order: SummationOrder,
    arithmetic: Arithmetic,
    formats: Formats,
    moving: Wide,
    spread: Wide,
) -> tuple[float, float, float]:
    """Sum Z, the errors of the total and those of exponents, each weighed by shares."""
    u = arithmetic.unit
    # Step four: what every term of the numerator passes beside sums: a division of its share, the
    # roundings of the weight and of the value.
    passed = 0.0 if order.online else arithmetic.division
    passed += formats.weights + passed * formats.weights
    passed += formats.operands + passed * formats.operands
    least_weight = formats.weights_least * (row.share if order.online else 1.0)
    u_total = formats.weights if formats.total_of_rounded else 0.0
    least_total = least_weight if formats.total_of_rounded else 0.0
    z = total = moved = 0.0
    for i in range(shares.size):
        counts = theta[i] >= 0.0
        share = shares[i] if counts else 0.0
        error = theta[i] if theta[i] < 1.0 else 1.0  # beyond, the row has no use for its sums
        # No more than e^-theta, and no less than expm1(theta), while theta < 1.
        z += share * (1.0 - error + error * error * (0.5 - error * SIXTH))
        moves = share * error * (1.0 + error * (0.5 + error / (6.0 - 1.5 * error)))
        moved += moves
        a = over[i] * u
        a = a / (1.0 - a)
        c = under[i] * u
        c = c / (1.0 - c)
        total += share * (c + u_total + c * u_total) + (least_total if counts else 0.0)
        moving[i] = moves
        spread[i] = share * (a + passed + a * passed) + (least_weight if counts else 0.0)
    return z, total, moved


@compiled
def row_terms(
    scores: Wide,
    shares: Wide,
    delta: Wide,
    order: SummationOrder,
    depths: NDArray[np.int64],
    arithmetic: Arithmetic,
    formats: Formats,
    sink: bool,
    moving: Wide,
    spread: Wide,
) -> RowTerms:
    """Weigh the errors of the keys of each row, whose sums have `depths` (rows, 2).

    `moving[r, i]` becomes what |v_i - O| is multiplied by in E, but for 1 / Z, and `spread[r, i]`
    what |v_i| is multiplied by in S, but for G; 0 where the row does not see the key, or where its
    weight vanishes. A `sink` is the last key.
    """
    rows, keys = scores.shape
    largest, least, total, moved, rounding = np.zeros((5, rows))
    rescales, over, under, theta = np.empty((4, keys))
    u_total = formats.weights if formats.total_of_rounded else 0.0
    for r in range(rows):
        top = scores[r].argmax()
        m = scores[r, top]
        if m == -np.inf:
            moving[r] = 0
            spread[r] = 0
            least[r] = 1
            continue
        slack = 0.0
        for i in range(keys):
            if scores[r, i] > -np.inf and delta[r, i] > slack:
                slack = delta[r, i]
        row = _Row(m, shares[r, top], delta[r, top], slack, depths[r, 0], depths[r, 1])
        rescales_of_keys(scores[r], slack, order, arithmetic, sink, rescales)
        _exponent_errors(scores[r], delta[r], rescales, row, arithmetic, order.splits, theta)
        _key_depths(scores[r], rescales, row, order, arithmetic, over, under)
        most = row.denominator
        for i in range(keys):
            if theta[i] > largest[r]:
                largest[r] = theta[i]
            if under[i] > most and theta[i] >= 0:
                most = under[i]
        c = most * arithmetic.unit
        c = c / (1.0 - c)
        rounding[r] = c + u_total + c * u_total
        least[r], total[r], moved[r] = _sum_row(
            shares[r], theta, over, under, row, order, arithmetic, formats, moving[r], spread[r]
        )
    return RowTerms(largest, least, total, moved, rounding)
