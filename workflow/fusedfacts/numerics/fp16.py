"""What would overflow in fp16 without subtracting the maximum: exact arithmetic only.

No published digit rests on a library's last bit. Thresholds come from `decimal`, whose ln and
exp are correctly rounded. For the many exponentials float64 is used where rounding to fp16
cannot depend on its last digits, and `decimal` where it could.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

LARGEST = 65_504  # fp16's largest number: (2 - 2^-10) 2^15
TO_INFINITY = 65_520  # halfway to 2^16; the tie goes to the even side, which is infinity
LEAST = 2.0**-24  # fp16's least number above 0; every fp16 number is a multiple of it
PRECISION = 60  # decimal digits
# Far above the error of any float64 exp (about 1e-16, relative), far below fp16's steps.
SAFE = 1e-9
# Fewer float32 scores than this are doubtful: 876, from 2^-13 to 2^5 in size, both signs.
KEPT = 2**10


def ln(value: int) -> Decimal:
    """Compute the natural logarithm to 60 digits.

    >>> str(ln(LARGEST))[:8], str(ln(TO_INFINITY))[:8]
    ('11.08986', '11.09011')
    """
    with localcontext() as context:
        context.prec = PRECISION
        return Decimal(value).ln()


def least_float32_from(value: Decimal) -> np.float32:
    """Find the least float32 not below `value`: `score >= it` decides `score >= value` exactly."""
    found = np.float32(value)
    while Decimal(float(found)) < value:
        found = np.nextafter(found, np.float32(np.inf))
    while Decimal(float(np.nextafter(found, np.float32(-np.inf)))) >= value:
        found = np.nextafter(found, np.float32(-np.inf))
    return found


@lru_cache(KEPT)
def _exact_exp(score: float) -> np.float16:
    """Compute e to a float, rounded to fp16 from 60 digits.

    Float64 lies between: a value within SAFE of an fp16 boundary but not on it keeps its side,
    because 60 digits are compared with the boundary itself.
    """
    with localcontext() as context:
        context.prec = PRECISION
        exact = Decimal(score).exp()
        if exact >= TO_INFINITY:
            return np.float16(np.inf)
        near = np.float16(min(float(exact), float(LARGEST)))
        lower = np.nextafter(near, np.float16(0)) if Decimal(float(near)) > exact else near
        if lower == LARGEST:
            return lower
        upper = np.nextafter(lower, np.float16(np.inf))
        middle = (Decimal(float(lower)) + Decimal(float(upper))) / 2
        return np.float16(lower if exact < middle else upper)


def exp16(scores: NDArray[np.float32]) -> NDArray[np.float16]:
    """Compute e to each score as fp16 would hold it, correctly rounded.

    >>> [float(x) for x in exp16(np.float32([0, 11.0895, 11.0902]))]
    [1.0, 65472.0, inf]
    """
    with np.errstate(over="ignore"):
        wide = np.exp(scores.astype(np.float64))
        rounded: NDArray[np.float16] = wide.astype(np.float16)
        doubtful = (wide * (1 - SAFE)).astype(np.float16) != (wide * (1 + SAFE)).astype(np.float16)
    # Each doubtful value once: a table may hold the same one in every place.
    values, which = np.unique(scores[doubtful], return_inverse=True)
    exact = np.array([_exact_exp(float(value)) for value in values], dtype=np.float16)
    rounded[doubtful] = exact[which]
    return rounded


def total_overflows(terms: NDArray[np.float16]) -> NDArray[np.bool_]:
    """Tell for each row of finite fp16 terms whether their exact sum rounds to infinity."""
    units = (terms.astype(np.float64) / LEAST).astype(np.int64)
    over: NDArray[np.bool_] = units.sum(axis=-1) >= int(TO_INFINITY / LEAST)
    return over
