"""One attention problem (sizes, mask, softmax scale), and how kernels cut it into tiles.

Tile sizes follow from 16 KiB of workgroup memory, WebGPU's default limit: 8 KiB for the query
tile, 4 KiB each for a key tile and a value tile, in float32.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.errors import FactsError

Rows = NDArray[np.float32]  # (n, d): one query, key, value or answer a row
Scores = NDArray[np.float32]  # (rows, n): one query a row, one key a column
Wide = NDArray[np.float64]  # either of these, exact or a bound

HEAD_DIMS = (16, 32, 64, 128)
QUERY_TILE_FLOATS = 2048  # 8 KiB
KEY_TILE_FLOATS = 1024  # 4 KiB
FUSED_FAST_KEY_ROWS = {16: 8, 32: 16, 64: 8, 128: 4}
SCORES_KEY_ROWS_MOST = 32  # the scores kernel has no value tile, but keeps its key tile small
MIX_KEY_ROWS = {16: 16, 32: 32, 64: 32, 128: 16}  # of a value tile in the mix kernel
SOFTMAX_LANES = 256  # invocations of one workgroup, WebGPU's default limit

# The normal numbers of float32. Below them float32 holds a scale with fewer digits than the bound
# counts on; above them, or at zero or less, there is nothing that sharpens or flattens a softmax.
SCALE_LEAST, SCALE_MOST = 2.0**-126, 2.0**128 * (1 - 2.0**-24)
# A scale is rounded to float32, and so is its product with each number of a query.
SCALE_ROUNDINGS = 2


@dataclass(frozen=True)
class Problem:
    """Attention of n queries and keys of d numbers.

    A causal query attends to keys up to its own. Scores are multiplied by the scale, 1 / sqrt(d)
    where it is None.

    >>> Problem(24, 64).softmax_scale, Problem(24, 64, scale=0.3).softmax_scale
    (0.125, 0.3)
    """

    n: int
    d: int
    causal: bool = False
    scale: float | None = None

    def __post_init__(self) -> None:
        """Refuse a size that no kernel serves, and a scale that float32 does not hold."""
        check_size(self.n, self.d)
        check_scale(self.scale)

    @classmethod
    def of(cls, q: Rows, *, causal: bool = False, scale: float | None = None) -> Problem:
        """Take n and d from the queries."""
        n, d = q.shape
        return cls(n, d, causal, scale)

    @property
    def softmax_scale(self) -> float:
        """Give the scale as a number."""
        return default_scale(self.d) if self.scale is None else self.scale

    @property
    def float32_scale(self) -> np.float32:
        """Give the scale as the kernels hold it: exact by default where d is 16 or 64."""
        return np.float32(self.softmax_scale)

    @property
    def score_roundings(self) -> int:
        """Count the roundings that a term of a score passes: two more unless the scale is exact.

        >>> [Problem(1, d, scale=s).score_roundings for d, s in ((64, None), (32, None), (32, 0.3))]
        [64, 34, 34]
        """
        exact = is_power_of_two(self.softmax_scale)
        return self.d if exact else self.d + SCALE_ROUNDINGS


def is_power_of_two(number: float) -> bool:
    """Tell whether a product with a positive number costs no rounding.

    >>> is_power_of_two(0.125), is_power_of_two(0.3)
    (True, False)
    """
    return math.frexp(number)[0] == 0.5


def default_scale(d: int) -> float:
    """Compute 1 / sqrt(d).

    >>> default_scale(64)
    0.125
    """
    return 1 / math.sqrt(d)


def check_size(n: int, d: int) -> None:
    """Refuse a size that no kernel serves."""
    if n < 1:
        raise FactsError(
            f"n: found {n}, expected a whole number of at least 1; choose such a length"
        )
    if d not in HEAD_DIMS:
        served = ", ".join(map(str, HEAD_DIMS))
        raise FactsError(f"d: found {d}, expected one of {served}; choose one that kernels serve")


def check_scale(scale: float | None) -> None:
    """Refuse a scale that float32 does not hold to full precision: zero, subnormal, NaN.

    >>> check_scale(0.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    fusedfacts.errors.FactsError: scale: found 0.0, expected a number from 1.17...e-38 to ...
    """
    if scale is not None and not SCALE_LEAST <= scale <= SCALE_MOST:
        raise FactsError(
            f"scale: found {scale!r}, expected a number from {SCALE_LEAST!r} to {SCALE_MOST!r}, the"
            " normal numbers of float32; choose one, or leave it out for 1 / sqrt(d)"
        )


def query_rows(d: int) -> int:
    """Count `br`, the rows of a query tile.

    >>> [query_rows(d) for d in HEAD_DIMS]
    [128, 64, 32, 16]
    """
    return QUERY_TILE_FLOATS // d


def fused_key_rows(d: int) -> int:
    """Count `bc`, the rows of the fused kernel's key and value tiles.

    >>> [fused_key_rows(d) for d in HEAD_DIMS]
    [64, 32, 16, 8]
    """
    return KEY_TILE_FLOATS // d


def scores_key_rows(d: int) -> int:
    """Count the rows of a key tile in the scores kernel.

    >>> [scores_key_rows(d) for d in HEAD_DIMS]
    [32, 32, 32, 16]
    """
    return min(SCORES_KEY_ROWS_MOST, QUERY_TILE_FLOATS // d)


def ceil_div(a: int, b: int) -> int:
    """Divide and round up.

    >>> ceil_div(7, 3), ceil_div(6, 3)
    (3, 2)
    """
    return -(-a // b)
