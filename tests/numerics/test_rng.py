import numpy as np
from fusedfacts.numerics import rng


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


def test_a_word_is_the_hash_that_plain_integers_give():
    for seed in (0, 23, 2**32 - 1):
        assert rng.words(seed, 2, 1000).tolist() == [slow_word(seed, 2, i) for i in range(1000)]


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


def test_dyadic_dot_products_are_exact_in_any_order():
    q, k = rng.dyadic(1, 0, (50, 128)), rng.dyadic(1, 1, (50, 128))
    exact = q.astype(np.float64) @ k.astype(np.float64).T
    forward, backward = np.zeros((50, 50), np.float32), np.zeros((50, 50), np.float32)
    for c in range(128):
        forward += q[:, None, c] * k[None, :, c]
        backward += q[:, None, 127 - c] * k[None, :, 127 - c]
    assert np.array_equal(forward, exact)
    assert np.array_equal(backward, exact)
