"""Arrays of other libraries: read where they lie, and refused in a sentence where NumPy cannot.

`tests/real/` has the same with torch and JAX themselves, where they are installed.
"""

import re
import sys
from types import ModuleType

import ml_dtypes
import numpy as np
import pytest
from fusedfacts import judge
from fusedfacts.errors import FactsError
from fusedfacts.judging.arrays import as_numpy, check_finite
from support import made_torch


class Exported:
    """An array that DLPack hands over and NumPy knows nothing of."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class Elsewhere(Exported):
    """One that lies where a processor does not see it, until it is asked for."""

    def __dlpack__(self, **_):
        raise BufferError("Unsupported device in DLTensor.")

    def __array__(self, dtype=None, copy=None):
        return self.array.copy()


class Traced(Elsewhere):
    def __array__(self, dtype=None, copy=None):
        raise TypeError("no concrete value\nat this line")


@pytest.fixture
def torch(monkeypatch):
    """What stands in for torch, as if it had been imported."""
    return made_torch.installed(monkeypatch)


def test_numpy_s_own_and_exported_arrays_are_not_copied():
    x = np.ones((5, 16), np.float32)[:, ::-1]
    assert as_numpy(x, "q") is x
    assert np.shares_memory(as_numpy(Exported(x), "q"), x)
    assert not np.shares_memory(as_numpy(Elsewhere(x), "q"), x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, bool])
def test_tensors_of_torch_are_not_copied_and_keep_their_type(torch, dtype):
    x = np.ones((5, 16)).astype(dtype)
    found = as_numpy(torch.tensor(x), "q")
    assert np.shares_memory(found, x)
    assert (found.dtype, found.tolist()) == (x.dtype, x.tolist())


def test_torch_is_not_imported_by_what_is_not_its_own(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    x = np.ones((5, 16), np.float32)
    judge(Exported(x), x, x, x)
    assert "torch" not in sys.modules
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))  # half imported, or another
    judge(Exported(x), x, x, x)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (object(), "q: found object, which is no array of numbers, expected one of NumPy, torch"),
        (
            Traced(np.ones(1)),
            r"q: found Traced, which NumPy cannot read \(no concrete value\)",
        ),
        ([[1.0], [2.0, 3.0]], r"q: found list, which NumPy cannot read \(setting an array element"),
        (np.ones((5, 16), ml_dtypes.float8_e4m3fn), "q: found numbers of type float8_e4m3fn"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(given, said):
    x = np.ones((5, 16), np.float32)
    with pytest.raises(FactsError, match=said) as caught:
        judge(given, x, x, x)
    assert "\n" not in str(caught.value)


def test_a_tensor_that_holds_no_numbers_is_one_sentence(torch):
    with pytest.raises(FactsError, match=r"q: found Tensor of float32, which NumPy cannot read"):
        as_numpy(torch.tensor(np.ones(3, np.float32), device="meta"), "q")


@pytest.mark.parametrize("shape", [(300,), (300, 2), (2, 300, 2)])
def test_the_place_of_a_number_that_is_none_is_named(shape):
    x = np.ones(shape)
    at = tuple(size - 1 for size in shape)
    x[at] = np.nan
    with pytest.raises(FactsError, match=re.escape(f"x: found NaN at {list(at)}, counted")):
        check_finite(x, "x")
