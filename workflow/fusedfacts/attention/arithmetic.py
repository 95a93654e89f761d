"""What the bound has to know of how an answer was made: order of sums, errors of operations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import problem
from fusedfacts.attention.problem import Wide
from fusedfacts.numerics import exponential

UNIT = 2.0**-24  # float32, round to nearest
TINY = 2.0**-149  # the least float32 above 0: twice the error of an underflow


class Arithmetic(NamedTuple):
    """Relative errors of one machine's float32 operations.

    Attributes
    ----------
    unit : float
        Of +, - and x.
    exp, exp_slope : float
        An exponential of x errs by at most exp + exp_slope |x|.
    division : float
        Of a division.
    underflow : float
        Twice the largest absolute error of a result below 2^-126: 2^-149 where subnormals are
        kept, 2^-125 where they are flushed to 0.
    exp_zero_is_one : bool
        Whether exp(0) is exactly 1: then a factor errs only where the maximum rose.
    folded : bool
        Whether log2 e is folded into the scale, so that the maximum is scaled by itself.
    tanh, log : float
        Of a hyperbolic tangent, and of a logarithm, beside 1 or its own size.
    """

    unit: float = UNIT
    exp: float = exponential.ERROR
    exp_slope: float = 0.0
    division: float = UNIT
    underflow: float = TINY
    exp_zero_is_one: bool = True
    folded: bool = False
    tanh: float = 4 * UNIT
    log: float = 4 * UNIT


class Formats(NamedTuple):
    """Where numbers are rounded to fewer digits than sums have; 0 where they are not.

    Attributes
    ----------
    operands : float
        Unit of q, k and v as they enter products.
    scaled : float
        Unit of q and k, each multiplied by the root of the scale.
    scores, scores_least : float
        Of a score that is stored: its unit, and the absolute error of a subnormal one.
    weights, weights_least : float
        Of a weight, or a share, that meets a value.
    output, output_least : float
        Of the answer.
    total_of_rounded : bool
        Whether the total is summed from weights that were rounded so.
    """

    operands: float = 0.0
    scaled: float = 0.0
    scores: float = 0.0
    scores_least: float = 0.0
    weights: float = 0.0
    weights_least: float = 0.0
    output: float = 0.0
    output_least: float = 0.0
    total_of_rounded: bool = False


class SummationOrder(NamedTuple):
    """What the bound needs to know of an order of summation.

    Attributes
    ----------
    mix_rows : int
        Keys in a tile over which p.v is summed; 0: in tiles of any size, first to last or last
        to first, each summed in any order.
    online : bool
        True: running maximum and rescale, tiles of `mix_rows` for the total as well, one
        division at the end. False: softmax by `problem.SOFTMAX_LANES` lanes, or in any order
        where `mix_rows` is 0, shares divided.
    splits : int
        Parts of the keys, of whole tiles, that are summed apart, each with an answer and an lse of
        its own, and weighed by these.
    stored : bool
        True: online, but each tile has weights of its own maximum, and the answer is divided and
        stored after each, as in Algorithm 1 of FlashAttention (arXiv:2205.14135).
    """

    mix_rows: int
    online: bool
    splits: int = 1
    stored: bool = False

    def tiles(self, width: int) -> int:
        """Count the key tiles that a row of `width` keys meets; each key is one in any order."""
        return problem.ceil_div(width, self.mix_rows or 1)

    def numerator_depth(self, width: int, tiles: int | None = None) -> int:
        """Count roundings of one term of p.v but for rescales, in a row that sees `width` keys.

        These lie in so many `tiles`, in as few as hold them where that is not said. What is stored
        passes more for each later tile, which is counted with its rescales.
        """
        joined = self.splits if self.splits > 1 else 0  # a product, and a sum of all parts
        if self.stored:
            return min(self.mix_rows, width) + min(1, (tiles or self.tiles(width)) - 1)
        if not self.mix_rows:
            return width + joined
        return min(self.mix_rows, width) + (tiles or self.tiles(width)) - 1 + joined

    def denominator_depth(self, width: int, tiles: int | None = None) -> int:
        """Count roundings of one term of the total but for rescales."""
        if self.online or not self.mix_rows:
            return self.numerator_depth(width, tiles) - 1
        lanes = problem.SOFTMAX_LANES
        tree = (min(width, lanes) - 1).bit_length()
        return problem.ceil_div(width, lanes) - 1 + tree


def fused_order(d: int, key_rows: int | None = None) -> SummationOrder:
    """Describe the order of the fused kernel, at its own key tile or another."""
    return SummationOrder(key_rows or problem.fused_key_rows(d), online=True)


def kv_outer_order(d: int, key_rows: int | None = None) -> SummationOrder:
    """Describe the order of Algorithm 1, which stores a whole answer after each key tile."""
    return fused_order(d, key_rows)._replace(stored=True)


def unfused_order(d: int) -> SummationOrder:
    """Describe the order of the three unfused kernels."""
    return SummationOrder(problem.MIX_KEY_ROWS[d], online=False)


def gamma(depth: NDArray[np.float64] | float, unit: float) -> Wide:
    """Bound k roundings in a row: k u / (1 - k u), relative (Higham 2002, Lemma 3.1)."""
    rounded = np.asarray(depth, dtype=np.float64) * unit
    return np.asarray(rounded / (1 - rounded))
