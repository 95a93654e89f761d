import mpmath
import numpy as np
import pytest
from fusedfacts.numerics import rng
from fusedfacts.numerics.exponential import ERROR, exp
from support.common import bits

mpmath.mp.dps = 60


def nearest_float32(value):
    """Round an mpmath number to float32, ties to even, subnormals included."""
    value = mpmath.mpf(value)
    exponent = max(int(mpmath.floor(mpmath.log(value, 2))), -126)
    step = mpmath.mpf(2) ** (exponent - 23)
    return np.float32(float(mpmath.nint(value / step) * step))


ARGUMENTS = np.concatenate(
    [
        rng.normal(1, 0, (1500,)) * np.float32(10),
        -np.abs(rng.normal(1, 1, (1500,))) * np.float32(20),
        np.float32([0, -0.0, 1e-30, -1e-30, 88.72283, -87.33655, -103.2, -103.97, 0.34657359]),
    ]
)


def test_exp_is_the_nearest_float32_to_sixty_digits():
    arguments = ARGUMENTS[ARGUMENTS < 88.7]
    wanted = np.array([nearest_float32(mpmath.exp(float(x))) for x in arguments])
    assert np.array_equal(bits(exp(arguments)), bits(wanted))
    assert ERROR > 2.0**-24  # the most by which the nearest errs: so the bound may use it


@pytest.mark.parametrize(
    ("x", "y"),
    [(0, 1), (-0.0, 1), (-104, 0), (-np.inf, 0), (88.73, np.inf), (np.nan, np.nan)],
)
def test_exp_at_its_edges(x, y):
    np.testing.assert_array_equal(exp(np.float32([x])), np.float32([y]))


def test_exp_never_decreases():
    x = np.linspace(-104, 89, 200_001).astype(np.float32)
    y = exp(x)
    assert np.all(y[1:] >= y[:-1])
