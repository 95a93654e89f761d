"""Arrays of NumPy, torch and JAX as NumPy's, without a copy where DLPack allows it.

Nothing of torch is imported unless one of its tensors comes: it brings itself along.
"""

from __future__ import annotations

from typing import Any

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


def format_of(array: NDArray[Any], name: str) -> str:
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


def check_finite(array: NDArray[Any], name: str) -> None:
    """Refuse a NaN or an infinity, naming the first place; a bias may hold minus infinity."""
    # One row after the other: a copy of the whole in another format may not fit.
    for at in np.ndindex(array.shape[:-1]):
        row = array[at].astype(np.float64)
        bad = ~np.isfinite(row) if name != "bias" else np.isnan(row) | np.isposinf(row)
        if bad.any():
            place = (*at, int(bad.argmax()))
            found = "NaN" if np.isnan(row[place[-1]]) else "infinity"
            raise FactsError(
                f"{name}: found {found} at {list(place)}, counted from zero, expected finite"
                " numbers; mend what made it, or leave out the rows that are padding"
            )
