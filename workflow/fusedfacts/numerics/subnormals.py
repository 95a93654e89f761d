"""Whether this machine's arithmetic keeps subnormal numbers, as IEEE 754 asks.

An operating system's default, or a library that was built for speed and loaded first, can have the
processor flush them to zero. Then the reference, the bound and the comparison lose what the answer
lost, and a wrong answer near 1e-40 would hold. So whoever gives a verdict asks here first.
"""

from __future__ import annotations

import numpy as np

from fusedfacts.errors import FactsError

# In float32: 2^-126 halved is subnormal, and 2^-149, the least number, times 2^24 is 2^-125.
# Bits are compared, as a flushed number equals zero; arrays, as Python's own numbers are float64.
GIVEN = np.array([0x00800000, 0x00000001], np.uint32)
FACTORS = np.array([2.0**-1, 2.0**24], np.float32)
KEPT = np.array([0x00400000, 0x01000000], np.uint32)


def kept() -> bool:
    """Tell whether a subnormal result and a subnormal operand are kept, in float32 and widened.

    >>> kept()
    True
    """
    given = GIVEN.view(np.float32)
    widened = given.astype(np.float64) * FACTORS
    return all(
        np.array_equal(found.view(np.uint32), KEPT)
        for found in (given * FACTORS, widened.astype(np.float32))
    )


def require_kept() -> None:
    """Raise a FactsError where subnormal numbers are flushed to zero: no verdict would be one."""
    if not kept():
        raise FactsError(
            "this machine's arithmetic: found numbers below 2^-126 flushed to zero, expected them"
            " kept, as IEEE 754 says, for a wrong answer of such a size would hold; start it"
            " without what sets that, a library built with -Ofast or -ffast-math (look into"
            " LD_PRELOAD), or on another machine"
        )
