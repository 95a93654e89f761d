"""The exact answer, as nearly as float64 gives it: two passes, no tiling, by blocks of rows.

Nothing here is shared with the kernels' emulator, not even the scale. BLAS may be used: its
rounding, near 1e-16, is far below every bound, and what is published of it is rounded (see
`rounding`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]
Wide = NDArray[np.float64]
# Rows of a table of all queries and keys, from a first to before a last, of shape (rows, n_k).
Rows = Callable[[int, int], NDArray[Any]]
BLOCK_PAIRS = 2**18  # a table of a block takes 2 MB, near a processor's cache
BLOCK_ROWS_LEAST = 32  # fewer rows would have BLAS wait for keys and values from memory


@dataclass(frozen=True)
class Block:
    """Rows `first` to `last` of the exact computation.

    Attributes
    ----------
    scores, shares : ndarray of float64, shape (rows, keys)
        Capped and biased. A masked pair has score minus infinity and share 0. A sink is one more
        key, the last.
    output : ndarray of float64, shape (rows, d_v)
        Zeros in a row that sees nothing.
    lse : ndarray of float64, shape (rows,)
        Natural logarithm of the sum of e^score; minus infinity in a row that sees nothing.
    """

    first: int
    last: int
    scores: Wide
    shares: Wide
    output: Wide
    lse: Wide


@dataclass(frozen=True)
class Extras:
    """What is given beside q, k and v of one head.

    Attributes
    ----------
    visible : callable, optional
        Gives for queries from a first to before a last which keys each sees, as an array of bool
        of shape (rows, n_k), or None where all see all.
    softcap : float, optional
        A score s becomes c tanh(s / c).
    bias : callable, optional
        Gives likewise what is added to scores after scale and cap.
    sink : float, optional
        The score of one more key, whose value is zero.
    """

    visible: Callable[[int, int], NDArray[np.bool_] | None] | None = None
    softcap: float | None = None
    bias: Rows | None = None
    sink: float | None = None


def softmax(scores: Wide) -> Wide:
    """Compute the shares of each row in two passes: the maximum first, then the total.

    >>> softmax(np.array([[0.0, 0.0], [-np.inf, 5.0]])).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    return softmax_and_lse(scores)[0]


def softmax_and_lse(scores: Wide) -> tuple[Wide, Wide]:
    """Compute shares, and the logarithm of each row's total; a row that sees nothing has none.

    >>> softmax_and_lse(np.array([[0.0, 0.0], [-np.inf, -np.inf]]))[1].round(3).tolist()
    [0.693, -inf]
    """
    highest = scores.max(axis=-1, keepdims=True)
    blind = np.isneginf(highest)
    shares = scores - np.where(blind, 0.0, highest)
    np.exp(shares, out=shares)
    total = np.where(blind, 1.0, shares.sum(axis=-1, keepdims=True))
    shares /= total
    return shares, (highest + np.log(total))[..., 0]


def scaled(products: Wide, d: int, scale: float | None) -> Wide:
    """Multiply queries, or their products with keys, by the scale: 1 / sqrt(d) by default."""
    return products / math.sqrt(d) if scale is None else products * scale


def spans(n_q: int, n_k: int) -> list[tuple[int, int]]:
    """Part the queries so that a table of some of them and all keys is small."""
    rows = max(BLOCK_ROWS_LEAST, BLOCK_PAIRS // n_k)
    return [(first, min(first + rows, n_q)) for first in range(0, n_q, rows)]


def computing(
    q: Numbers, k: Numbers, v: Numbers, extras: Extras, *, causal: bool, scale: float | None
) -> Callable[[tuple[int, int]], Block]:
    """Prepare the exact attention of some queries, for any span of rows."""
    n_k, d = len(k), q.shape[1]
    wide_q, wide_k, wide_v = (tensor.astype(np.float64) for tensor in (q, k, v))
    wide_q = scaled(wide_q, d, scale)  # n d products are fewer than n^2
    columns = np.arange(n_k)

    def block(span: tuple[int, int]) -> Block:
        first, last = span
        scores = wide_q[first:last] @ wide_k.T
        if extras.softcap is not None:
            scores = extras.softcap * np.tanh(scores / extras.softcap)
        if extras.bias is not None:
            scores += extras.bias(first, last)
        if causal:
            scores[columns[None, :] > np.arange(first, last)[:, None]] = -np.inf
        seen = None if extras.visible is None else extras.visible(first, last)
        if seen is not None:
            scores[~seen] = -np.inf
        if extras.sink is not None:
            scores = np.hstack([scores, np.full((last - first, 1), float(extras.sink))])
        shares, lse = softmax_and_lse(scores)
        return Block(first, last, scores, shares, shares[:, :n_k] @ wide_v, lse)

    return block


def blocks(
    q: Numbers,
    k: Numbers,
    v: Numbers,
    extras: Extras | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
) -> Iterator[Block]:
    """Compute the exact attention of q (n_q, d), k (n_k, d) and v (n_k, d_v), rows by rows.

    Every query sees every key, or those up to its own, or those that are `visible`.
    """
    block = computing(q, k, v, extras or Extras(), causal=causal, scale=scale)
    return map(block, spans(len(q), len(k)))


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
