"""Sums in float32 that a bound is made of: never too small, hardly too large."""

import ml_dtypes
import numpy as np
import pytest
from fusedfacts.attention.upper import SAFE, Sizes

KINDS = {
    "normal": 1.0,
    "subnormal products": 2.0**-70,
    "subnormal numbers": 2.0**-140,
    "as large as float32 is allowed to sum": SAFE / 8,
}


def drawn(n_q, n_k, d, dtype, size=1.0):
    draw = np.random.default_rng(n_k).standard_normal
    return [(draw((rows, d)) * size).astype(dtype) for rows in (n_q, n_k, n_k)]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_q", "n_k", "d"), [(1, 1, 1), (5, 70, 3), (8, 3000, 16)])
def test_no_sum_in_float32_is_less_than_the_exact_one(kind, n_q, n_k, d, dtype):
    size = min(KINDS[kind], float(ml_dtypes.finfo(dtype).max) / 8)
    q, k, v = drawn(n_q, n_k, d, dtype, size)
    wide, narrow = (Sizes.of(q, k, v, narrow=narrow) for narrow in (False, True))
    assert (wide.values.dtype, narrow.values.dtype) == (np.float64, np.float32)
    draw = np.random.default_rng(1).standard_normal((n_q, n_k))
    weights = np.exp(9 * draw - 50)  # of which many vanish in float32
    exact = weights @ wide.values / weights.sum(axis=1, keepdims=True)
    some = weights.astype(np.float32)
    for above, least in (
        (narrow.score_sizes(0, n_q), wide.score_sizes(0, n_q)),
        (narrow.weighed(some), wide.weighed(weights)),
        (narrow.deviations(some, exact), wide.deviations(weights, exact)),
    ):
        assert np.all(above >= least)
        tiny = 2.0**-140 * n_k * (1 + size)
        spread = 1e-6 * weights.sum(axis=1).max() * np.abs(exact).max()  # of one key: exactly zero
        assert np.all(above <= least * (1 + 2.0**-23 * (n_k + 8)) + tiny + spread)


def test_deviations_are_those_of_the_formula():
    q, k, v = drawn(5, 70, 3, np.float64)
    weights, exact = np.abs(drawn(5, 5, 70, np.float64)[0]), q
    wanted = [[weights[r] @ np.abs(v[:, j] - exact[r, j]) for j in range(3)] for r in range(5)]
    np.testing.assert_allclose(Sizes.of(q, k, v).deviations(weights, exact), wanted, rtol=1e-13)


@pytest.mark.parametrize("which", range(3))
def test_what_float32_could_not_hold_or_sum_is_left_in_float64(which):
    """An infinite bound would let every answer pass."""
    for spoil in (lambda x: x * np.float32(2 * SAFE), lambda x: x.astype(np.float64)):
        qkv = drawn(4, 4, 4, np.float32)
        qkv[which] = spoil(qkv[which])
        sizes = Sizes.of(*qkv, narrow=True)
        assert sizes.keys.dtype == sizes.queries.dtype == sizes.values.dtype == np.float64
        assert np.isfinite(sizes.score_sizes(0, 4)).all()
