"""How a device is measured: its operands, its errors in units of the last place, what is shown."""

from __future__ import annotations

from decimal import Context

import numpy as np
from numpy.typing import NDArray

from fusedfacts.numerics import rng, rounding

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]

SEED = 2_718  # of the measurements' own inputs, which need not follow the run's seed
SHOWN_DIGITS = 4


def words(stream: int, count: int) -> Floats:
    """Float32 numbers of all signs, with exponents from -20 to 20 and any digits."""
    bits = rng.words(SEED, stream, count)
    exponent = np.uint32(127 - 20) + (bits >> np.uint32(24)) % np.uint32(41)
    pattern = (bits & np.uint32(0x807FFFFF)) | (exponent << np.uint32(23))
    return pattern.astype(np.uint32).view(np.float32)


def ulps(found: Floats, exact: Wide) -> Wide:
    """Errors in units of the last place that the exact result has in float32."""
    _, exponent = np.frexp(np.abs(exact))
    unit = np.ldexp(1.0, np.maximum(exponent - 24, -149))
    error: Wide = np.abs(found.astype(np.float64) - exact) / unit
    return error


def about(value: float) -> float:
    """An observed figure that bounds nothing, to as many digits."""
    return float(Context(prec=SHOWN_DIGITS).create_decimal(value))


def same(found: Floats, expected: Floats) -> bool:
    """Whether all bits agree."""
    return bool((found.view(np.uint32) == expected.view(np.uint32)).all())


def upwards(value: float) -> float:
    """An observed figure to four significant digits, never below it: more would be noise.

    >>> upwards(1.06701), upwards(0.5)
    (1.068, 0.5)
    """
    return rounding.shown_up(value, SHOWN_DIGITS)
