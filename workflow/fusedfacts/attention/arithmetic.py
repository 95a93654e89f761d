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
        An exponential of x errs by at most exp + exp_slope |x|. exp(0) must be exactly 1: then a
        factor errs only where the maximum rose.
    division : float
        Of a division.
    underflow : float
        Twice the largest absolute error of a result below 2^-126: 2^-149 where subnormals are
        kept, 2^-125 where they are flushed to 0.
    """

    unit: float = UNIT
    exp: float = exponential.ERROR
    exp_slope: float = 0.0
    division: float = UNIT
    underflow: float = TINY


class SummationOrder(NamedTuple):
    """What the bound needs to know of an order of summation.

    Attributes
    ----------
    mix_rows : int
        Keys in a tile over which p.v is summed.
    online : bool
        True: running maximum and rescale, tiles of `mix_rows` for the total as well, one
        division at the end. False: softmax by `problem.SOFTMAX_LANES` lanes, shares divided.
    """

    mix_rows: int
    online: bool

    def numerator_depth(self, width: int) -> int:
        """Count roundings of one term of p.v but for rescales, in a row that sees `width` keys."""
        return min(self.mix_rows, width) + problem.ceil_div(width, self.mix_rows) - 1

    def denominator_depth(self, width: int) -> int:
        """Count roundings of one term of the total but for rescales."""
        if self.online:
            return self.numerator_depth(width) - 1
        lanes = problem.SOFTMAX_LANES
        tree = (min(width, lanes) - 1).bit_length()
        return problem.ceil_div(width, lanes) - 1 + tree


def fused_order(d: int, key_rows: int | None = None) -> SummationOrder:
    """Describe the order of the fused kernel, at its own key tile or another."""
    return SummationOrder(key_rows or problem.fused_key_rows(d), online=True)


def unfused_order(d: int) -> SummationOrder:
    """Describe the order of the three unfused kernels."""
    return SummationOrder(problem.MIX_KEY_ROWS[d], online=False)


def gamma(depth: NDArray[np.float64] | float, unit: float) -> Wide:
    """Bound k roundings in a row: k u / (1 - k u), relative (Higham 2002, Lemma 3.1)."""
    rounded = np.asarray(depth, dtype=np.float64) * unit
    return np.asarray(rounded / (1 - rounded))
