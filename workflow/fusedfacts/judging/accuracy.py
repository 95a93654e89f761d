"""How near an answer is to the exact one: figures over all rows, and by row and column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import Wide

TILES_MOST = 32  # of rows or columns that a picture can show
KEY_ROWS_LEAST = 16  # of a tile of keys: no kernel's is narrower


def tile_of(size: int, least: int = 1) -> int:
    """Choose a power of two by which a size is parted into few tiles.

    >>> tile_of(20), tile_of(70), tile_of(4096), tile_of(70, least=16)
    (1, 4, 128, 16)
    """
    tile = least
    while tile * TILES_MOST < size:
        tile *= 2
    return tile


class Profile:
    """The largest error / bound of each row and column of an answer, and of their tiles.

    Attributes
    ----------
    rows : ndarray of float64, shape (n_q,)
        Largest error / bound; NaN where nothing was judged.
    relative : ndarray of float64, shape (n_q,)
        Largest error, relative to the largest number of the exact row.
    columns : ndarray of float64, shape (columns,)
    tiles : ndarray of float64, shape (row tiles, column tiles)
        Largest error / bound in tiles of `tile_of` rows and columns.
    """

    def __init__(self, n_q: int, columns: int) -> None:
        self.rows: Wide = np.full(n_q, np.nan)
        self.relative: Wide = np.full(n_q, np.nan)
        self.columns: Wide = np.zeros(columns)
        self.steps = tile_of(n_q), tile_of(columns)
        counts = [-(-size // step) for size, step in zip((n_q, columns), self.steps, strict=True)]
        self.tiles: Wide = np.full(counts, np.nan)

    def add(self, ratio: Wide, relative: Wide, rows: NDArray[np.int64]) -> None:
        """Add some rows, of shape (rows, columns) and (rows,)."""
        self.rows[rows] = ratio.max(axis=1)
        self.relative[rows] = relative
        np.maximum(self.columns, ratio.max(axis=0), out=self.columns)
        tall, wide = self.steps
        parts = np.maximum.reduceat(ratio, np.arange(0, ratio.shape[1], wide), axis=1)
        for tile in np.unique(rows // tall):
            most = parts[rows // tall == tile].max(axis=0)
            self.tiles[tile] = np.fmax(self.tiles[tile], most)


@dataclass
class Accuracy:
    """Errors of an answer beside their bounds, over all rows that were added.

    Attributes
    ----------
    elements, exceeding : int
        All of them, and those that are not finite or exceed their bound.
    largest_error, bound_there, largest_ratio : float
        The largest error with the bound there, and the largest error / bound; infinity where an
        element is not finite.
    worst_row : int
        The first row with the largest error / bound.
    first : dict or None
        The first element that exceeds its bound: row, column (of an answer), found, expected,
        error, bound.
    profile : Profile or None
        The largest error / bound by row and by column, where these are asked for.
    """

    elements: int = 0
    exceeding: int = 0
    largest_error: float = -1.0
    bound_there: float = 0.0
    largest_ratio: float = 0.0
    worst_row: int = 0
    first: dict[str, Any] | None = None
    profile: Profile | None = None

    def add(self, found: Wide, exact: Wide, bound: Wide, rows: NDArray[np.int64]) -> None:
        """Compare some rows, of shape (rows, columns)."""
        finite = np.isfinite(found)
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.where(finite, np.abs(found - exact), np.inf)
            # `not (error <= bound)`: a NaN on either side is a failure, never a pass.
            wrong = ~(error <= bound) | ~finite
            ratio = np.where(error == 0, 0.0, error / bound)
        if not error.size:
            return
        at = int(np.argmax(error))
        if error.flat[at] > self.largest_error:
            self.largest_error, self.bound_there = float(error.flat[at]), float(bound.flat[at])
        if ratio.max() > self.largest_ratio:
            self.largest_ratio = float(ratio.max())
            self.worst_row = int(rows[np.argmax(ratio.max(axis=1))])
        if self.profile is not None:
            size = np.abs(exact).max(axis=1)
            relative = np.full(len(rows), np.nan)
            np.divide(error.max(axis=1), size, out=relative, where=size > 0)
            self.profile.add(ratio, relative, rows)
        self.elements += error.size
        self.exceeding += int(wrong.sum())
        if self.first is None and wrong.any():
            r, c = (int(i) for i in np.argwhere(wrong)[0])
            self.first = {
                "row": int(rows[r]),
                "column": c,
                "found": float(found[r, c]),
                "expected": float(exact[r, c]),
                "error": float(error[r, c]),
                "bound": float(bound[r, c]),
            }
