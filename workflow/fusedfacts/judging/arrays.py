"""Arrays of NumPy, torch and JAX as NumPy's, without a copy where DLPack allows it.

Nothing of torch is imported unless one of its tensors comes: it brings itself along.
"""

from __future__ import annotations

from typing import Any, Protocol

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

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


def as_numpy(array: Any, name: str) -> NDArray[Any]:
    """View an array as NumPy's.

    Raises
    ------
    FactsError
        If it is no array, or lies where a processor cannot read it.

    Examples
    --------
    >>> as_numpy([[1.0, 2.0]], "q").dtype
    dtype('float64')
    """
    if isinstance(array, np.ndarray):
        return array
    if type(array).__module__.partition(".")[0] == "torch":
        return _from_torch(array)
    found = np.asarray(array)
    if found.dtype == object:
        raise FactsError(
            f"{name}: found {type(array).__name__}, which is no array of numbers, expected one of"
            " NumPy, torch or JAX; give one"
        )
    return found


def _from_torch(tensor: Any) -> NDArray[Any]:
    """View a torch tensor; bfloat16, which DLPack cannot hand to NumPy, by its bits."""
    detached = tensor.detach().cpu()
    if str(detached.dtype) == "torch.bfloat16":
        import torch  # it made the tensor, so it is there

        # Its bits as int16: NumPy has no bfloat16 of its own.
        whole: NDArray[Any] = detached.contiguous().view(torch.int16).numpy()
        return whole.view(ml_dtypes.bfloat16)
    found: NDArray[Any] = np.from_dlpack(detached)
    return found


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
