"""An answer beside the exact one: what is kept of it while rows stream by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import Wide
from fusedfacts.judging.places import Profile


@dataclass
class Held:
    """An answer beside the exact one: figures over all rows seen so far.

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
        The largest error / bound by row and by column, where these are kept.
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
            wrong = ~(error <= bound)
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
