"""Arrays of torch, JAX and others as NumPy's, without a copy where they lie in memory as numbers.

Nothing of torch is imported: who gives one of its tensors has imported it.
"""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from fusedfacts.errors import FactsError, printable

SAID_MOST = 120  # characters of what another library says


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
    if isinstance(array, np.ndarray):
        return array
    torch = sys.modules.get("torch")
    try:
        if isinstance(array, getattr(torch, "Tensor", ())):
            return _from_torch(array, torch)
        found = _shared(array)
    except Exception as fault:  # of whatever library this is
        said = printable(str(fault).partition("\n")[0], SAID_MOST)
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
    return printable(f"{type(array).__name__}{of}", SAID_MOST)
