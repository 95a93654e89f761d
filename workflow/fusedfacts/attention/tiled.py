"""Tiled attention in plain NumPy, slow and obvious, with places where a fault can be planted.

This is the readable reference of the arithmetic contract's online order: the emulator's fused
kernel gives the same bits. It also serves any tile width, and it is where the mutants live: a
`Faults` says what is done wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import Problem, Rows, Scores
from fusedfacts.numerics.exponential import Exponential, exp

Factor = Literal["right", "omitted", "inverted"]


@dataclass(frozen=True)
class Faults:
    """What to do wrong; the default is nothing.

    Attributes
    ----------
    total_factor, output_factor : {"right", "omitted", "inverted"}
        How the running total and the running output are rescaled when the maximum changes.
    tile_maximum : bool
        Subtract the current tile's own maximum instead of the running one.
    tail_guard : bool
        False reads zeros past the last key instead of stopping there.
    dropped_key : int or None
        A key that is left out.
    mask_shift : int
        Keys beyond (+) or short of (-) a query's own that a causal query looks at.
    scaled : bool
        False forgets 1 / sqrt(d).
    """

    total_factor: Factor = "right"
    output_factor: Factor = "right"
    tile_maximum: bool = False
    tail_guard: bool = True
    dropped_key: int | None = None
    mask_shift: int = 0
    scaled: bool = True


NO_FAULTS = Faults()


@dataclass(frozen=True)
class Tiled:
    """An answer, and how its maxima moved.

    Attributes
    ----------
    output : ndarray of float32, shape (n, d)
    rises : ndarray of int64, shape (n,)
        Tiles after the first on which a row's maximum rose.
    """

    output: Rows
    rises: NDArray[np.int64]

    @property
    def maximum_in_first_tile(self) -> NDArray[np.bool_]:
        """Tell for each row whether its computed maximum lies in the first tile."""
        first: NDArray[np.bool_] = self.rises == 0
        return first


def scores(q: Rows, k: Rows) -> Scores:
    """Multiply scaled queries (..., rows, d) and keys (..., keys, d) in the contract's order."""
    s: Scores = np.zeros(1, dtype=np.float32)
    for c in range(0, q.shape[-1], 4):
        x, y = q[..., :, None, c : c + 4], k[..., None, :, c : c + 4]
        products = [x[..., i] * y[..., i] for i in range(4)]
        s = s + (((products[0] + products[1]) + products[2]) + products[3])
    return s


def _rescaled(running: Rows, old: Rows, new: Rows, how: Factor, e: Exponential) -> Rows:
    if how == "omitted":
        return running
    factor = e(old - new) if how == "right" else e(new - old)
    return running * (factor if running.ndim == 1 else factor[:, None])


def tiled(
    q: Rows,
    k: Rows,
    v: Rows,
    *,
    key_rows: int,
    causal: bool = False,
    faults: Faults = NO_FAULTS,
    exponential: Exponential = exp,
) -> Tiled:
    """Compute attention with online softmax over key tiles of `key_rows` rows.

    >>> x = np.eye(5, 16, dtype=np.float32)
    >>> tiled(x, x, x, key_rows=2, causal=True).output[0].tolist() == x[0].tolist()
    True
    """
    n, d = q.shape
    scale = Problem(n, d).float32_scale if faults.scaled else np.float32(1)
    q = q * scale
    row = np.arange(n)
    total = np.zeros(n, dtype=np.float32)
    mixed = np.zeros((n, d), dtype=np.float32)
    maximum = np.zeros(n, dtype=np.float32)
    started = np.zeros(n, dtype=bool)
    rises = np.zeros(n, dtype=np.int64)
    if not faults.tail_guard:
        padding = ((0, -n % key_rows), (0, 0))
        k, v = np.pad(k, padding), np.pad(v, padding)

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for first_key in range(0, len(k), key_rows):
            key = np.arange(first_key, min(first_key + key_rows, len(k)))
            seen = np.ones((n, key.size), dtype=bool)
            if causal:
                seen = key[None, :] <= row[:, None] + faults.mask_shift
            if faults.dropped_key is not None:
                seen = seen & (key != faults.dropped_key)[None, :]
            active = np.asarray(seen.any(axis=1))
            s = scores(q, k[key])
            tile_maximum = np.where(seen, s, -np.inf).max(axis=1).astype(np.float32)
            if faults.tile_maximum:
                new = tile_maximum
            else:
                new = np.where(started, np.maximum(maximum, tile_maximum), tile_maximum)
            new = np.where(active, new, maximum)
            old = np.where(started, maximum, new)
            rises += started & (new > old)

            tile_total = np.zeros(n, dtype=np.float32)
            tile_mixed = np.zeros((n, d), dtype=np.float32)
            begun = np.zeros(n, dtype=bool)
            for j in range(key.size):
                p = exponential(np.where(seen[:, j], s[:, j] - new, np.float32(0)))
                term = p[:, None] * v[key[j]][None, :]
                again, first = seen[:, j] & begun, seen[:, j] & ~begun
                tile_total = np.where(again, tile_total + p, np.where(first, p, tile_total))
                tile_mixed = np.where(
                    again[:, None], tile_mixed + term, np.where(first[:, None], term, tile_mixed)
                )
                begun |= seen[:, j]
            kept = _rescaled(total, old, new, faults.total_factor, exponential)
            total = np.where(active, kept + tile_total, total)
            kept = _rescaled(mixed, old, new, faults.output_factor, exponential)
            mixed = np.where(active[:, None], kept + tile_mixed, mixed)
            maximum = new
            started |= active
        return Tiled(mixed / total[:, None], rises)
