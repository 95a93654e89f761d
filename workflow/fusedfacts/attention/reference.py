"""The exact answer, as nearly as float64 gives it: two passes, no tiling, by blocks of rows.

Nothing here is shared with the kernels' emulator, not even the scale. BLAS may be used: its
rounding, near 1e-16, is far below every bound, and what is published of it is rounded (see
`rounding`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Wide = NDArray[np.float64]
BLOCK_PAIRS = 2**18  # a table of a block takes 2 MB, near a processor's cache
BLOCK_ROWS_LEAST = 8  # fewer rows would leave BLAS nothing to reuse


@dataclass(frozen=True)
class Block:
    """Rows `first` to `last` of the exact computation.

    Attributes
    ----------
    scores, shares : ndarray of float64, shape (rows, n)
        A masked pair has score minus infinity and share 0.
    output : ndarray of float64, shape (rows, d)
    """

    first: int
    last: int
    scores: Wide
    shares: Wide
    output: Wide


def softmax(scores: Wide) -> Wide:
    """Compute the shares of each row in two passes: the maximum first, then the total.

    >>> softmax(np.array([[0.0, 0.0], [-np.inf, 5.0]])).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Wide = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def scaled(products: Wide, d: int, scale: float | None) -> Wide:
    """Multiply products of queries and keys by the scale, 1 / sqrt(d) where none is given."""
    return products / math.sqrt(d) if scale is None else products * scale


def blocks(
    q: NDArray[np.float32],
    k: NDArray[np.float32],
    v: NDArray[np.float32],
    *,
    causal: bool = False,
    scale: float | None = None,
) -> Iterator[Block]:
    """Compute the exact attention of float32 inputs (n, d), some rows at a time."""
    n, d = q.shape
    wide_q, wide_k, wide_v = (tensor.astype(np.float64) for tensor in (q, k, v))
    columns = np.arange(n)
    rows = max(BLOCK_ROWS_LEAST, BLOCK_PAIRS // n)
    for first in range(0, n, rows):
        last = min(first + rows, n)
        scores = scaled(wide_q[first:last] @ wide_k.T, d, scale)
        if causal:
            scores[columns[None, :] > np.arange(first, last)[:, None]] = -np.inf
        shares = softmax(scores)
        yield Block(first, last, scores, shares, shares @ wide_v)


def attention(
    q: NDArray[np.float32],
    k: NDArray[np.float32],
    v: NDArray[np.float32],
    *,
    causal: bool = False,
    scale: float | None = None,
) -> Wide:
    """Compute softmax(Q K^T scale) V in float64, (n, d); the scale is 1 / sqrt(d) by default.

    >>> x = np.eye(2, 16, dtype=np.float32)
    >>> attention(x, x, x, causal=True)[0].tolist() == x[0].tolist()
    True
    """
    return np.concatenate([block.output for block in blocks(q, k, v, causal=causal, scale=scale)])
