"""The exponential of the arithmetic contract: one set of bits on every machine.

Range reduction and a polynomial in float64, from addition, multiplication and an exact power
of two alone, then one rounding to float32. No math library takes part, so no version of one can
move a bit; JavaScript's doubles repeat it exactly.

With x = k ln 2 + r and |r| <= (ln 2)/2, the Taylor polynomial of degree 11 leaves out at most
((ln 2)/2)^12 / 12! < 7e-15 of e^r, and float64 rounding adds about 1e-15. Both are far below
half a unit of float32 (6e-8), so the result is the nearest float32 but for arguments whose
exact answer lies within 1e-14 (relative) of a tie.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fusedfacts.numerics.jit import compiled

Exponential = Callable[[NDArray[np.float32]], NDArray[np.float32]]

# Half of float32's rounding unit, and a little for the polynomial: the relative error of `exp`.
ERROR = 2.0**-24 * (1 + 2.0**-20)

LOG2_E = 1.4426950408889634
# ln 2 in two parts; the first has 33 significant bits, so k times it is exact for |k| < 2^20.
LN2_HIGH = float.fromhex("0x1.62e42feep-1")
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to a whole number

# Outside these, the float32 result is 0 or infinity whatever the digits are.
LOWEST, HIGHEST = -160.0, 100.0
K_LOWEST, K_HIGHEST = -240, 160
POWERS = np.array([math.ldexp(1.0, k) for k in range(K_LOWEST, K_HIGHEST + 1)])


@compiled
def _exp(x: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    for i in range(x.size):
        wide = np.float64(x[i])
        if np.isnan(wide):
            out[i] = x[i]
            continue
        near = min(max(wide, LOWEST), HIGHEST)
        k = (near * LOG2_E + ROUNDER) - ROUNDER
        r = (near - k * LN2_HIGH) - k * LN2_LOW
        p = 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        p = p * r + 1.0
        out[i] = np.float32(p * POWERS[int(k) - K_LOWEST])


def exp(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Compute e to each element, in float32.

    0 below about -103.97, infinity above about 88.72, 1 at 0, NaN for NaN.

    >>> [float(y) for y in exp(np.float32([0, 1, -200, 89]))]
    [1.0, 2.7182817459106445, 0.0, inf]
    """
    flat = np.ascontiguousarray(x, dtype=np.float32).reshape(-1)
    out = np.empty_like(flat)
    _exp(flat, out)
    return out.reshape(np.shape(x))
