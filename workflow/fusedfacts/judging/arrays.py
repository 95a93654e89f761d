"""What numbers a tensor may hold: a format that a recipe knows, and none that is not finite."""

from __future__ import annotations

from typing import Any, Protocol

import ml_dtypes
import numpy as np

from fusedfacts.errors import FactsError

# Formats that a recipe knows, by the dtypes that hold them.
FORMAT_OF = {
    np.dtype(np.float64): "float64",
    np.dtype(np.float32): "float32",
    np.dtype(np.float16): "float16",
    np.dtype(ml_dtypes.bfloat16): "bfloat16",
}


class Tensor(Protocol):
    """An array, or what gives a part of one where it is indexed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Give the size of each axis."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Give the type of its numbers."""

    def __getitem__(self, where: Any, /) -> Any:
        """Take a part, by whole numbers and whole axes."""


def format_of(array: Tensor, name: str) -> str:
    """Name the format of an array's numbers, or refuse it.

    >>> format_of(np.zeros(1, np.float16), "q")
    'float16'
    """
    found = FORMAT_OF.get(array.dtype.newbyteorder("="))
    if found is None:
        raise FactsError(
            f"{name}: found numbers of type {array.dtype}, expected float64, float32, float16 or"
            " bfloat16; the bound is of these alone"
        )
    return found


def check_finite(array: Tensor, name: str) -> None:
    """Refuse a NaN or an infinity, naming the first place; a bias may hold minus infinity."""
    # One table after the other: all of them may not fit.
    for at in np.ndindex(array.shape[:-2]):
        table = np.asarray(array[at])
        bad = ~np.isfinite(table)
        if name == "bias":
            bad &= ~np.isneginf(table)
        if bad.any():
            inner = tuple(int(i) for i in np.argwhere(bad)[0])
            found = "NaN" if np.isnan(table[inner]) else "infinity"
            raise FactsError(
                f"{name}: found {found} at {[*at, *inner]}, counted from zero, expected finite"
                " numbers; mend what made it, or leave out the rows that are padding"
            )
