"""The exact gradient, against differences of the exact answer and an identity of its own."""

import numpy as np
import pytest
from fusedfacts.attention.gradient import gradient
from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.reference import Extras, blocks

STEP = 1e-5  # central differences err by its square, and by 1e-16 over it
SMALL = 2e-9
PATTERNS = {
    "all see all": Pattern(5, 4, 3),
    "another scale": Pattern(4, 4, 3, scale=0.7),
    "causal": Pattern(6, 6, 3, causal=True),
    "causal with a cache": Pattern(3, 7, 2, causal=True, align="bottom-right"),
    "more queries than keys, so that some see none": Pattern(
        6, 4, 2, causal=True, align="bottom-right"
    ),
    "a window": Pattern(6, 6, 2, causal=True, window=(1, 0)),
    "a window with a cache": Pattern(3, 8, 2, causal=True, align="bottom-right", window=(2, 0)),
    "one key": Pattern(2, 1, 4),
}


def tensors(pattern, seed=3):
    """q, k, v and do, whose v has one more column than q."""
    draw = np.random.default_rng(seed).standard_normal
    sizes = pattern.n_q, pattern.n_k, pattern.n_k, pattern.n_q
    return [draw((n, pattern.d + i // 2)) for n, i in zip(sizes, (0, 0, 2, 2), strict=True)]


def loss(q, k, v, do, pattern):
    """The number whose gradient is asked for."""
    found = blocks(q, k, v, Extras(pattern.visible), scale=pattern.scale)
    return sum((do[part.first : part.last] * part.output).sum() for part in found)


def differences(tensors, which, pattern):
    """The gradient by one tensor, by central differences."""
    found = np.zeros_like(tensors[which])
    for place in np.ndindex(found.shape):
        moved = [list(tensors), list(tensors)]
        for side, step in zip(moved, (STEP, -STEP), strict=True):
            side[which] = tensors[which].copy()
            side[which][place] += step
        found[place] = (loss(*moved[0], pattern) - loss(*moved[1], pattern)) / (2 * STEP)
    return found


@pytest.mark.parametrize("name", PATTERNS)
def test_the_gradient_is_the_limit_of_differences(name):
    pattern = PATTERNS[name]
    given = tensors(pattern)
    found = gradient(*given, pattern.visible, pattern.scale)
    for which, part in enumerate((found.dq, found.dk, found.dv)):
        np.testing.assert_allclose(part, differences(given, which, pattern), atol=SMALL)


@pytest.mark.parametrize("name", PATTERNS)
def test_a_row_of_scores_moved_by_a_constant_changes_nothing(name):
    """So each row of dS sums to zero, and D is the mean of dP; no key's sum of dS does."""
    pattern = PATTERNS[name]
    found = gradient(*tensors(pattern), pattern.visible, pattern.scale)
    np.testing.assert_allclose(found.ds.sum(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose((found.forward.shares * found.dp).sum(axis=1), found.row, atol=1e-14)


def test_what_is_not_seen_gives_and_gets_nothing():
    pattern = PATTERNS["more queries than keys, so that some see none"]
    found = gradient(*tensors(pattern), pattern.visible)
    assert not found.dq[:2].any()
    assert not found.ds[:2].any()
    one = PATTERNS["one key"]  # whose share is one, whatever its score is
    assert np.abs(gradient(*tensors(one)).dk).max() < 1e-15


def test_differences_tell_a_wrong_gradient():
    """Without D, a common mistake, dQ is far off; the test above would be red."""
    pattern = PATTERNS["all see all"]
    given = tensors(pattern)
    found = gradient(*given)
    forgotten = found.scale * (found.forward.shares * found.dp) @ given[1]
    assert np.abs(forgotten - differences(given, 0, pattern)).max() > 1e6 * SMALL
