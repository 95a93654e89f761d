import numpy as np
import pytest
from fusedfacts.attention.compare import compare


def arrays(error, bound):
    exact = np.ones((2, 2))
    output = np.ones((2, 2), np.float32)
    output[1, 0] += np.float32(error)
    return output, exact, np.full((2, 2), float(bound))


def test_an_error_equal_to_its_bound_passes():
    assert compare(*arrays(0.25, 0.25)).passed


def test_an_error_above_its_bound_fails_in_its_row_alone():
    seen = compare(*arrays(0.5, 0.25))
    assert not seen.passed
    assert seen.wrong_rows.tolist() == [False, True]
    assert (seen.largest_error, seen.bound_there, seen.largest_ratio) == (0.5, 0.25, 2.0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_never_passes_however_wide_the_bound(value):
    output, exact, bound = arrays(0, np.inf)
    output[0, 1] = value
    seen = compare(output, exact, bound)
    assert seen.wrong.tolist() == [[False, True], [False, False]]
    assert seen.largest_error == np.inf


def test_a_bound_that_is_not_a_number_passes_nothing_and_one_of_zero_no_error():
    output, exact, bound = arrays(0, 0)
    assert compare(output, exact, bound).passed
    assert compare(output, exact, bound).largest_ratio == 0
    bound[0, 0] = np.nan
    assert not compare(output, exact, bound).passed
