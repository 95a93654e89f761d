"""Arithmetic counted as it happens, by kind.

`operations` is an array with one slot a kind. A subtraction is an addition; a maximum of two
is one comparison; index arithmetic does not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MULTIPLY, ADD, EXP, DIVIDE, COMPARE = range(5)
KINDS = ("multiplications", "additions", "exps", "divisions", "comparisons")

Operations = NDArray[np.int64]


def no_operations() -> Operations:
    """Counters at zero, shape (5 kinds,)."""
    return np.zeros(len(KINDS), dtype=np.int64)
