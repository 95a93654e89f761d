"""The exact gradient of attention, as nearly as float64 gives it: by matrices, with no tiling.

With P the shares and dO the gradient of an answer O = P V, the chain rule gives (Dao et al. 2022,
appendix B.2)

    dV = P^T dO,   dP = dO V^T,   D = rowsum(dO * O),   dS = P * (dP - D),
    dQ = scale dS K,   dK = scale dS^T Q.

Nothing here is shared with an emulator of a schedule, not even the scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.reference import Block, Extras, Numbers, Wide, blocks


@dataclass(frozen=True)
class Gradient:
    """The gradients of one head, and the tables on their way.

    Attributes
    ----------
    dq, dk, dv : ndarray of float64, shapes (n_q, d), (n_k, d) and (n_k, d_v)
    forward : Block
        The whole of the exact attention.
    dp, ds : ndarray of float64, shape (n_q, n_k)
        Gradients of the shares, and of the scores before they are scaled.
    row : ndarray of float64, shape (n_q,)
        D, which is also each row's mean of dP, weighed by shares.
    scale : float
    """

    dq: Wide
    dk: Wide
    dv: Wide
    forward: Block
    dp: Wide
    ds: Wide
    row: Wide
    scale: float


def gradient(
    q: Numbers,
    k: Numbers,
    v: Numbers,
    do: Numbers,
    visible: Callable[[int, int], NDArray[np.bool_] | None] | None = None,
    scale: float | None = None,
) -> Gradient:
    """Compute dQ, dK and dV from q (n_q, d), k (n_k, d), v (n_k, d_v) and do (n_q, d_v).

    Every query sees every key, or those that are `visible` (as `pattern.Pattern.visible` tells); a
    query that sees none gives and gets nothing.

    >>> x = np.eye(2)
    >>> found = gradient(x, x, x, x)
    >>> found.ds.sum(axis=1).round(12).tolist(), found.dv.sum(axis=0).round(12).tolist()
    ([0.0, 0.0], [1.0, 1.0])
    """
    scale = 1 / math.sqrt(q.shape[1]) if scale is None else scale
    whole = joined(list(blocks(q, k, v, Extras(visible), scale=scale)))
    wide_q, wide_k, wide_v, wide_do = (x.astype(np.float64) for x in (q, k, v, do))
    dp = wide_do @ wide_v.T
    row = (wide_do * whole.output).sum(axis=1)
    ds = whole.shares * (dp - row[:, None])
    dq, dk, dv = scale * (ds @ wide_k), scale * (ds.T @ wide_q), whole.shares.T @ wide_do
    return Gradient(dq, dk, dv, whole, dp, ds, row, scale)


def joined(parts: list[Block]) -> Block:
    """Join blocks of rows to one."""
    columns = ("scores", "shares", "output", "lse")
    tables = (np.concatenate([getattr(part, name) for part in parts]) for name in columns)
    return Block(0, parts[-1].last, *tables)
