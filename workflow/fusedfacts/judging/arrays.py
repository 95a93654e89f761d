"""Arrays of NumPy, torch, JAX and others: without a copy where numbers lie in memory, and checked.

Nothing of torch is imported: who gives one of its tensors has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Protocol

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from fusedfacts.errors import FactsError, printable

# Formats that a recipe knows, by the dtypes that hold them.
FORMAT_OF = {
    np.dtype(np.float64): "float64",
    np.dtype(np.float32): "float32",
    np.dtype(np.float16): "float16",
    np.dtype(ml_dtypes.bfloat16): "bfloat16",
}


LARGEST = 2.0**300  # beyond it float64 may hold no score, of which there is no exact answer
ROWS_AT_ONCE = 256  # of a bias, whose rows are as long as keys are many


QUOTED_MOST = 120  # characters of what another library says


class Tensor(Protocol):
    """An array, or what gives a part of one where it is indexed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Give the size of each axis."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Give the type of its numbers."""

    def __getitem__(self, where: Any, /) -> Any:
        """Take a part: by whole numbers and whole axes, or of one axis a slice."""


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
    for at, first in _starts(array.shape):
        part = (*at, slice(first, first + ROWS_AT_ONCE)) if array.shape else ()
        table = np.asarray(array[part])
        bad = ~np.isfinite(table)
        if name == "bias":
            bad &= ~np.isneginf(table)
        elif table.dtype == np.float64:
            bad |= np.abs(table) > LARGEST
        if bad.any():
            row, *rest = (int(i) for i in np.argwhere(bad)[0]) if array.shape else (0,)
            value = table[bad][0]
            found = "NaN" if np.isnan(value) else "infinity" if np.isinf(value) else f"{value:.3g}"
            where = [*at, first + row, *rest] if array.shape else []
            raise FactsError(
                f"{name}: found {found} at {where}, counted from zero, expected finite"
                f" numbers of at most {LARGEST:.3g}; mend what made it, or leave out the rows that"
                " are padding"
            )


def _starts(shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Part an array into some rows of one table after the other: all of them may not fit."""
    for at in np.ndindex(shape[:-2]):
        for first in range(0, (shape[-2:] or (1,))[0], ROWS_AT_ONCE):
            yield at, first


def as_numpy(array: Any, name: str) -> NDArray[Any]:
    """View an array as NumPy's.

    Raises
    ------
    FactsError
        If it is no array, or one that NumPy cannot read.

    Examples
    --------
    >>> as_numpy([[1.0, 2.0]], "q").dtype
    dtype('float64')
    """
    if isinstance(array, np.ma.MaskedArray):
        raise FactsError(
            f"{name}: found a masked array, whose mask nothing here heeds, expected a plain one;"
            f" give {name}.filled(...), and which keys are seen as mask"
        )
    if isinstance(array, np.ndarray):
        return array
    torch = sys.modules.get("torch")
    try:
        if isinstance(array, getattr(torch, "Tensor", ())):
            return _from_torch(array, torch)
        found = _shared(array)
    except Exception as fault:  # of whatever library this is
        said = printable(str(fault).partition("\n")[0], QUOTED_MOST)
        raise FactsError(
            f"{name}: found {_kind(array)}, which NumPy cannot read ({said}), expected numbers in"
            " memory, as float64, float32, float16 or bfloat16; give them so"
        ) from None
    if found.dtype == object:
        raise FactsError(
            f"{name}: found {_kind(array)}, which is no array of numbers, expected one of NumPy,"
            " torch or JAX; give one"
        )
    return found


def _from_torch(tensor: Any, torch: Any) -> NDArray[Any]:
    """View a tensor, of another device copied; bfloat16, which NumPy has not, by its bits."""
    plain = tensor.detach().cpu()
    if plain.dtype == torch.bfloat16:
        return np.from_dlpack(plain.view(torch.int16)).view(ml_dtypes.bfloat16)
    return np.from_dlpack(plain)


def _shared(array: Any) -> NDArray[Any]:
    if hasattr(array, "__dlpack__"):
        try:
            return np.from_dlpack(array)
        except (BufferError, RuntimeError):
            pass  # another device, or JAX's bfloat16, which it gives NumPy by a way of its own
    return np.asarray(array)


def _kind(array: Any) -> str:
    """Say what was given: its class, and its numbers' type where it tells it."""
    of = f" of {array.dtype}" if hasattr(array, "dtype") else ""
    return printable(f"{type(array).__name__}{of}", QUOTED_MOST)
