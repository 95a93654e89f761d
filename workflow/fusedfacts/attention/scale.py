"""What scores may be multiplied by, and what the bound has to know of it."""

from __future__ import annotations

import math

from fusedfacts.errors import FactsError

# The normal numbers of float32. Below them float32 holds a scale with fewer digits than the bound
# counts on; above them, or at zero or less, there is nothing that sharpens or flattens a softmax.
LEAST, MOST = 2.0**-126, 2.0**128 * (1 - 2.0**-24)
# A scale is rounded to float32, and so is its product with each number of a query.
ROUNDINGS = 2


def default(d: int) -> float:
    """1 / sqrt(d).

    >>> default(64)
    0.125
    """
    return 1 / math.sqrt(d)


def check(scale: float | None) -> None:
    """Refuse a scale that float32 does not hold to full precision.

    Raises
    ------
    FactsError
        For zero, a negative number, a subnormal of float32, infinity and NaN.

    Examples
    --------
    >>> check(0.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    fusedfacts.errors.FactsError: scale: found 0.0, expected a number from 1.17...e-38 to ...
    """
    if scale is not None and not LEAST <= scale <= MOST:
        raise FactsError(
            f"scale: found {scale!r}, expected a number from {LEAST!r} to {MOST!r}, the normal"
            " numbers of float32; choose one, or leave it out for 1 / sqrt(d)"
        )


def depth(d: int, scale: float | None) -> int:
    """Roundings that a term of a score passes: d, and two more unless the scale is a power of two.

    >>> depth(64, None), depth(32, None), depth(32, 0.25), depth(16, 0.3)
    (64, 34, 32, 18)
    """
    mantissa, _ = math.frexp(default(d) if scale is None else scale)
    return d if mantissa == 0.5 else d + ROUNDINGS
