"""Laws of attention that any right implementation keeps, on hypothesis's inputs."""

import numpy as np
import pytest
from fusedfacts.attention.arithmetic import fused_order, unfused_order
from fusedfacts.attention.compare import compare
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.tiled import tiled
from fusedfacts.emulator import execute
from hypothesis import given, settings
from hypothesis import strategies as st
from support.common import bits, tensors

SIZES = st.integers(1, 70)
DIMS = st.sampled_from([16, 32])
WIDTHS = st.sampled_from([1, 3, 8, 64])
SEEDS = st.integers(0, 2**32 - 1)
WAYS = ["tiled", "unfused"]
few = settings(max_examples=25, deadline=None, derandomize=True)


def answer(way, q, k, v, causal=False, width=8):
    if way == "tiled":
        return tiled(q, k, v, key_rows=width, causal=causal).output
    return execute.unfused(q, k, v, causal=causal).output


def order(way, d, width=8):
    return fused_order(d, width) if way == "tiled" else unfused_order(d)


@pytest.mark.parametrize("way", WAYS)
@few
@given(n=SIZES, d=DIMS, width=WIDTHS, seed=SEEDS, causal=st.booleans())
def test_every_answer_lies_within_its_bound(way, n, d, width, seed, causal):
    q, k, v = tensors(n, d, seed)
    bounded = attention_bounds(q, k, v, [order(way, d, width)], causal=causal)
    assert compare(answer(way, q, k, v, causal, width), bounded.exact, bounded.bounds[0]).passed


@pytest.mark.parametrize("way", WAYS)
@few
@given(n=SIZES, d=DIMS, seed=SEEDS, power=st.integers(-20, 20))
def test_doubling_the_values_doubles_the_answer_exactly(way, n, d, seed, power):
    q, k, v = tensors(n, d, seed)
    factor = np.float32(2.0**power)
    assert np.array_equal(answer(way, q, k, v * factor), answer(way, q, k, v) * factor)


@few
@given(n=SIZES, d=DIMS, seed=SEEDS)
def test_a_causal_answer_does_not_depend_on_later_words(n, d, seed):
    q, k, v = tensors(n, d, seed)
    half = (n + 1) // 2
    whole = tiled(q, k, v, key_rows=8, causal=True).output
    part = tiled(q[:half], k[:half], v[:half], key_rows=8, causal=True).output
    assert np.array_equal(bits(whole[:half]), bits(part))


def test_rises_say_whether_the_maximum_lies_in_the_first_tile():
    q, k, v = tensors(50, 16)
    found = tiled(q, k, v, key_rows=8, causal=True)
    scores = (q * np.float32(0.25)).astype(np.float64) @ k.astype(np.float64).T
    for row in range(50):
        late = scores[row, : row + 1].argmax() >= 8
        assert bool(found.maximum_in_first_tile[row]) == (not late)
