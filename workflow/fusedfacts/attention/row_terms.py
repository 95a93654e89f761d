"""One row of the bound: what each key's error weighs (docs/error-bound.md, steps two to four).

Loops over a row's keys alone. What meets the values is left as weights, so that a block of rows
can be summed by matrix products (`error_bound`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import Arithmetic, Formats, SummationOrder
from fusedfacts.attention.problem import Wide
from fusedfacts.numerics.jit import compiled

# e^-104 is less than half of the least float32: a weight this far below the maximum is 0.
VANISHED = 104.0
# The same of float64, whose least number is 2^-1074.
VANISHED_64 = 746.0
FLOAT64_UNIT = 2.0**-53
# Beyond this exponent error a weight's error is no longer small, and any weight may be wrong.
CERTIFIED_THETA = 0.7


class RowTerms(NamedTuple):
    """What a row's keys sum to.

    Attributes
    ----------
    theta : float
        The largest exponent error of a key that counts.
    least : float
        Z, no more than the sum of all computed weights over that of the exact ones.
    total : float
        The total's rounding errors, weighed by shares.
    grown : float
        G, by which errors of the sums may grow.
    moved : float
        The exponents' errors, weighed by shares.
    rounding : float
        The largest rounding error of a term of the total.
    """

    theta: float
    least: float
    total: float
    grown: float
    moved: float
    rounding: float


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
def _rescales(
    scores: Wide, slack: float, order: SummationOrder, arithmetic: Arithmetic, sink: bool
) -> NDArray[np.int64]:
    """Count for each tile the rescales that may change a weight of it."""
    keys = scores.size - 1 if sink else scores.size
    key_rows = max(1, order.mix_rows)
    tiles = (keys + key_rows - 1) // key_rows
    rises = np.zeros(tiles + 1, np.int64)
    if not order.online:
        return rises
    if not arithmetic.exp_zero_is_one:
        rises[:tiles] = np.arange(tiles)[::-1]
    elif order.mix_rows:
        rises[:tiles] = possible_rises(scores[:keys], slack, key_rows)
    else:
        forth = possible_rises(scores[:keys], slack, 1)
        back = possible_rises(scores[:keys][::-1], slack, 1)[::-1]
        rises[:tiles] = np.maximum(forth, back)
    if sink:  # it may come first or last, and either raise the maximum or be scaled like the rest
        rises += 1
        rises[tiles] = rises[0]
    return rises


@compiled
def row_terms(
    scores: Wide,
    shares: Wide,
    delta: Wide,
    order: SummationOrder,
    depths: tuple[int, int],
    arithmetic: Arithmetic,
    formats: Formats,
    sink: bool,
    moving: Wide,
    spread: Wide,
) -> RowTerms:
    """Weigh the errors of one row's keys.

    `moving[i]` becomes what |v_i - O| is multiplied by in E, but for 1 / Z, and `spread[i]` what
    |v_i| is multiplied by in S, but for G; 0 where the row does not see the key, or where its
    weight vanishes. A `sink` is the last key.
    """
    u, u_e = arithmetic.unit, arithmetic.exp / (1.0 - arithmetic.exp)
    numerator, denominator = depths
    highest, heaviest = scores.argmax(), shares.max()
    m = scores[highest]
    slack = 0.0
    for i in range(scores.size):
        if scores[i] != -np.inf:
            slack = max(slack, delta[i])
    folds = 1.0 if arithmetic.folded else 0.0
    joins = 1.0 if order.splits > 1 else 0.0
    lse = m - np.log(heaviest)
    # Step four: what every term of the numerator passes beside sums: a division of its share, the
    # roundings of the weight and of the value.
    passed = 0.0 if order.online else arithmetic.division
    passed += formats.weights + passed * formats.weights
    passed += formats.operands + passed * formats.operands
    least_weight = formats.weights_least * (heaviest if order.online else 1.0)
    u_total = formats.weights if formats.total_of_rounded else 0.0
    least_total = least_weight if formats.total_of_rounded else 0.0
    vanished = VANISHED if u > FLOAT64_UNIT else VANISHED_64
    key_rows = max(1, order.mix_rows)
    rescales = _rescales(scores, slack, order, arithmetic, sink)
    moved = z = total = largest = rounding = 0.0
    for i in range(scores.size):
        moving[i] = spread[i] = 0.0
        if scores[i] == -np.inf:
            continue
        last = sink and i == scores.size - 1
        r = rescales[-1] if last else rescales[i // key_rows]
        # Step two: the error of the exponent.
        gap = m - scores[i]
        theta = delta[i] + ((1 + 2 * folds) * u + arithmetic.exp_slope) * (gap + 2.0 * slack)
        theta += (1 + r) * u_e
        size = max(abs(scores[i]), abs(m)) + slack
        theta += folds * u * size * (1 + r)
        theta += joins * (3 * u * max(size, abs(lse)) + arithmetic.log * (1 + lse - m) + 2 * u_e)
        if gap - theta - delta[highest] > vanished:
            continue  # step six: its weight is 0; the underflow term covers it
        largest = max(largest, theta)
        # No more than e^-theta, and no less than expm1(theta), while theta < 1.
        z += shares[i] * (1.0 - theta + theta * theta * (0.5 - theta / 6.0))
        moves = shares[i] * theta * (1.0 + theta * (0.5 + theta / (6.0 - 1.5 * theta)))
        moved += moves
        a = (numerator + r) * u / (1.0 - (numerator + r) * u)
        c = (denominator + r) * u / (1.0 - (denominator + r) * u)
        c += u_total + c * u_total
        rounding = max(rounding, c)
        total += shares[i] * c + least_total
        moving[i] = moves
        spread[i] = shares[i] * (a + passed + a * passed) + least_weight
    grown = np.inf
    if largest <= CERTIFIED_THETA:
        grown = (1.0 + largest + largest * largest) / ((1.0 - rounding) * z)
    return RowTerms(largest, z, total, grown, moved, rounding)


@compiled
def deviations(moving: Wide, values: Wide, exact: Wide, out: Wide) -> None:
    """Add sum_i moving[r, i] |values[i, j] - exact[r, j]| to out[r, j]."""
    for r in range(moving.shape[0]):
        for i in range(values.shape[0]):
            weight = moving[r, i]
            if weight != 0.0:
                for j in range(values.shape[1]):
                    out[r, j] += weight * abs(values[i, j] - exact[r, j])
