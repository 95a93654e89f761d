"""How far a device's exp errs, for every argument that attention gives it: none is positive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from fusedfacts.device.measure import Floats, ulps, upwards

# WGSL promises exp(x) within 3 + 2 |x| units in the last place.
PROMISED, PROMISED_SLOPE = 3.0, 2.0
# exp(x) is a normal float32 down to ln 2^-126 = -87.33...; the curve ends above it.
EDGES = (0.0, *(2.0**k for k in range(-12, 7)), 87.25)
CHUNK = 2**22  # arguments at a time: some tens of MB in float64
# Below 2^-12 lie a thousand million float32 numbers, for all of which exp is 1 or almost; every
# 1,009th (a prime, so that no pattern of bits is favoured) is a million.
NEAR_ZERO_STRIDE = 1_009
# From here on down exp leaves the normal range; the last is the least float32.
TAIL = (87.25, 104.5, 1e3, 1e6, 3.4e38)
TAIL_TRIED = 2**16

Exp = Callable[[Floats], Floats]


def arguments(low: float, high: float, stride: int) -> Iterator[Floats]:
    """Every `stride`-th float32 from -low down to -high, in chunks, and -high itself."""
    first, last = (int(np.float32(edge).view(np.uint32)) for edge in (low, high))
    for start in range(first, last, CHUNK * stride):
        stop = min(start + CHUNK * stride, last)
        yield -np.arange(start, stop, stride, dtype=np.uint32).view(np.float32)
    yield np.array([-high], dtype=np.float32)


def part(exp: Exp, low: float, high: float, stride: int) -> dict[str, Any]:
    """The largest error of exp for arguments from -high to -low, beside what WGSL promises."""
    tried, largest, over = 0, 0.0, 0.0
    for x in arguments(low, high, stride):
        wide = x.astype(np.float64)
        error = ulps(exp(x), np.exp(wide))
        tried += x.size
        largest = max(largest, float(error.max()))
        over = max(over, float((error / (PROMISED - PROMISED_SLOPE * wide)).max()))
    return {
        "from": -high,
        "to": 0.0 - low,
        "arguments_tried": tried,
        "largest_error_ulp": upwards(largest),
        "over_promised": upwards(over),
    }


def measured(exp: Exp, stride: int = 1) -> dict[str, Any]:
    """The whole curve.

    Parameters
    ----------
    exp : callable
        Takes and gives a flat float32 array.
    stride : int
        1 tries every float32 from -87.25 to -2^-12, about 155 million.

    Returns
    -------
    dict
        As the schema of device reports describes it.
    """
    curve = [
        part(exp, low, high, stride * (NEAR_ZERO_STRIDE if low == 0 else 1))
        for low, high in pairwise(EDGES)
    ]
    zeros = exp(np.array([0.0, -0.0], dtype=np.float32))
    tail = np.concatenate(
        [-np.linspace(low, high, TAIL_TRIED) for low, high in pairwise(TAIL)]
    ).astype(np.float32)
    below = np.abs(exp(tail) - np.exp(tail.astype(np.float64)))
    return {
        "at_zero_is_one": bool((zeros == 1).all()),
        "promised_ulp": f"{PROMISED:g} + {PROMISED_SLOPE:g} |x|",
        "largest_over_promised": max(piece["over_promised"] for piece in curve),
        "largest_error_near_underflow": upwards(float(below.max())),
        "curve": curve,
    }
