"""Measure a device's operations: operands, errors in units of the last place, the curve of exp.

exp is tried at every argument that attention gives it: none is positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Context
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.numerics import rng, rounding

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Exp = Callable[[Floats], Floats]

LEAST_NORMAL = 2.0**-126
SEED = 2_718  # of the measurements' own inputs, which need not follow the run's seed
SHOWN_DIGITS = 4
# WGSL promises exp(x) within 3 + 2 |x| units in the last place.
PROMISED_EXP, PROMISED_EXP_SLOPE = 3.0, 2.0
# exp(x) is a normal float32 down to ln 2^-126 = -87.33...; the curve ends above it.
EDGES = (0.0, *(2.0**k for k in range(-12, 7)), 87.25)
CHUNK = 2**22  # arguments at a time: few dispatches, some tens of MB
BLOCK = 2**14  # of these at a time in float64: a processor's cache holds them, five times as fast
# Below 2^-12 lie a thousand million float32 numbers, for all of which exp is 1 or almost; every
# 1,009th (a prime, so that no pattern of bits is favoured) is a million.
NEAR_ZERO_STRIDE = 1_009
# From here on down exp leaves the normal range; the last is the least float32.
TAIL = (87.25, 104.5, 1e3, 1e6, 3.4e38)
TAIL_TRIED = 2**16


def words(stream: int, count: int) -> Floats:
    """Draw float32 numbers of all signs, with exponents from -20 to 20 and any digits."""
    bits = rng.words(SEED, stream, count)
    exponent = np.uint32(127 - 20) + (bits >> np.uint32(24)) % np.uint32(41)
    pattern = (bits & np.uint32(0x807FFFFF)) | (exponent << np.uint32(23))
    return pattern.astype(np.uint32).view(np.float32)


def ulps(found: Floats, exact: Wide) -> Wide:
    """Measure errors in units of the last place that the exact result has in float32."""
    exponent = (np.abs(exact).view(np.int64) >> 52) - 1023
    unit = (1023 + np.maximum(exponent - 23, -149)) << 52  # the bits of that power of two
    error: Wide = np.abs(found.astype(np.float64) - exact) / unit.view(np.float64)
    return error


def about(value: float) -> float:
    """Show an observed figure that bounds nothing, to four significant digits."""
    return float(Context(prec=SHOWN_DIGITS).create_decimal(value))


def same(found: Floats, expected: Floats) -> bool:
    """Tell whether all bits agree."""
    return bool((found.view(np.uint32) == expected.view(np.uint32)).all())


def upwards(value: float) -> float:
    """Show an observed error to four significant digits, never below it: more would be noise.

    >>> upwards(1.06701), upwards(0.5)
    (1.068, 0.5)
    """
    return rounding.shown_up(value, SHOWN_DIGITS)


def exp_arguments(low: float, high: float, stride: int) -> Iterator[Floats]:
    """List every `stride`-th float32 from -low down to -high, in chunks, and -high itself."""
    first, last = (int(np.float32(edge).view(np.uint32)) for edge in (low, high))
    for start in range(first, last, CHUNK * stride):
        stop = min(start + CHUNK * stride, last)
        yield -np.arange(start, stop, stride, dtype=np.uint32).view(np.float32)
    yield np.array([-high], dtype=np.float32)


def exp_part(exp: Exp, low: float, high: float, stride: int) -> dict[str, Any]:
    """Find the largest error of exp from -high to -low, beside what WGSL promises."""
    tried, largest, over = 0, 0.0, 0.0
    for x in exp_arguments(low, high, stride):
        found = exp(x)
        tried += x.size
        for at in range(0, x.size, BLOCK):
            wide = x[at : at + BLOCK].astype(np.float64)
            error = ulps(found[at : at + BLOCK], np.exp(wide))
            largest = max(largest, float(error.max()))
            over = max(over, float((error / (PROMISED_EXP - PROMISED_EXP_SLOPE * wide)).max()))
    return {
        "from": -high,
        "to": 0.0 - low,
        "arguments_tried": tried,
        "largest_error_ulp": upwards(largest),
        "over_promised": upwards(over),
    }


def exp_curve(exp: Exp, stride: int = 1) -> dict[str, Any]:
    """Measure the whole curve, as the schema of device reports describes it.

    A stride of 1 tries every float32 from -87.25 to -2^-12, 154 million, and a million nearer to 0.
    """
    curve = [
        exp_part(exp, low, high, stride * (NEAR_ZERO_STRIDE if low == 0 else 1))
        for low, high in pairwise(EDGES)
    ]
    zeros = exp(np.array([0.0, -0.0], dtype=np.float32))
    tail = np.concatenate(
        [-np.linspace(low, high, TAIL_TRIED) for low, high in pairwise(TAIL)]
    ).astype(np.float32)
    below = np.abs(exp(tail) - np.exp(tail.astype(np.float64)))
    return {
        "at_zero_is_one": bool((zeros == 1).all()),
        "promised_ulp": f"{PROMISED_EXP:g} + {PROMISED_EXP_SLOPE:g} |x|",
        "largest_over_promised": max(piece["over_promised"] for piece in curve),
        "largest_error_near_underflow": upwards(float(below.max())),
        "curve": curve,
    }
