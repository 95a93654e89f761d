import numpy as np
import pytest
from fusedfacts.errors import FactsError
from fusedfacts.numerics import rng

# Worked with Python's own integers by `slow_word`, so another NumPy or language can be held to it.
GOLDEN_WORDS = [0, 1, 2, 1000, 2**32 - 1]


def slow_mix(x):
    mask = 0xFFFFFFFF
    x ^= x >> 16
    x = x * rng.MIX_1 & mask
    x ^= x >> 13
    x = x * rng.MIX_2 & mask
    return x ^ (x >> 16)


def slow_word(seed, stream, counter):
    mask = 0xFFFFFFFF
    key = slow_mix(seed + rng.GOLDEN & mask)
    key = slow_mix(key ^ stream)
    return slow_mix(slow_mix(counter * rng.GOLDEN + key & mask) ^ key)


@pytest.mark.parametrize("counter", GOLDEN_WORDS)
def test_a_word_is_the_hash_that_plain_integers_give(counter):
    assert int(rng.words(23, 2, 1, counter)[0]) == slow_word(23, 2, counter)


def test_streams_and_seeds_are_unlike_each_other():
    drawn = [rng.words(seed, stream, 1000) for seed in (1, 2) for stream in (0, 1)]
    for i, one in enumerate(drawn):
        for other in drawn[:i]:
            assert np.mean(one == other) < 0.01


def test_normals_have_the_moments_of_a_unit_normal():
    x = rng.normal(3, 0, (200_000,)).astype(np.float64)
    assert abs(x.mean()) < 0.01
    assert abs(x.std() - 1) < 0.01
    assert abs((x**4).mean() - 3) < 0.15  # twelve uniforms: 2.9
    assert np.abs(x).max() < 6


def test_normals_are_exact_in_float32():
    x = rng.normal(3, 0, (1000,))
    assert x.dtype == np.float32
    assert np.array_equal(x.astype(np.float64) * 65536, np.rint(x.astype(np.float64) * 65536))


def test_dyadic_dot_products_are_exact_in_any_order():
    q, k = rng.dyadic(1, 0, (50, 128)), rng.dyadic(1, 1, (50, 128))
    exact = q.astype(np.float64) @ k.astype(np.float64).T
    forward, backward = np.zeros((50, 50), np.float32), np.zeros((50, 50), np.float32)
    for c in range(128):
        forward += q[:, None, c] * k[None, :, c]
        backward += q[:, None, 127 - c] * k[None, :, 127 - c]
    assert np.array_equal(forward, exact)
    assert np.array_equal(backward, exact)


def test_a_stream_does_not_wrap_round():
    with pytest.raises(FactsError, match="at most 4294967296 exist"):
        rng.words(1, 0, 2, 2**32 - 1)


def test_reading_a_stream_in_order_gives_its_words():
    stream = rng.Stream(9, 1)
    words = rng.words(9, 1, 5000)
    assert [stream.below(2**32) for _ in range(5000)] == [int(word) for word in words]
