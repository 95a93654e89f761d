"""The bound of a gradient: against an adversary who chooses every rounding, and its limits."""

import numpy as np
import pytest
from fusedfacts.attention.arithmetic import Arithmetic, SummationOrder
from fusedfacts.attention.error_bound import block_bound, score_error
from fusedfacts.attention.gradient import gradient
from fusedfacts.attention.gradient_bound import GradientOrder, gradient_bounds
from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.upper import Sizes
from support import rounded

ADVERSARY = Arithmetic(exp=rounded.U, log=rounded.U)  # whose exponentials err as little as sums
CACHED = {"causal": True, "align": "bottom-right", "scale": 0.5}
# Queries, keys, numbers a head; rows of a query and of a key tile.
SIZES = [
    (Pattern(1, 1, 1, scale=0.5), 1, 1),
    (Pattern(2, 2, 2, scale=0.5), 2, 2),
    (Pattern(4, 4, 4, scale=0.25), 2, 2),
    (Pattern(3, 4, 2, **CACHED), 2, 3),
    (Pattern(5, 7, 2, window=(3, 0), **CACHED), 3, 2),
]
# What tells an order, and the share of its bound that the adversary reaches in some element of dq,
# of dk and of dv. Where D is summed over shares, the errors of a total cancel, unseen by the bound.
ORDERS = {
    "FlashAttention-2": ({}, 0.45),
    "FlashAttention": ({"divided": True}, 0.4),
    "standard": ({"divided": True, "from_shares": True}, 0.25),
}


def bounded(tensors, pattern, br, bc, arithmetic=ADVERSARY, **kind):
    """The exact gradient, its bounds, and the order that they are of."""
    order = GradientOrder(
        min(bc, pattern.n_k) - (-pattern.n_k // bc) - 1,
        min(br, pattern.n_q) - (-pattern.n_q // br) - 1,
        **kind,
    )
    exact = gradient(*tensors, pattern.visible, pattern.scale)
    sizes = Sizes.of(*tensors[:3])
    delta = score_error(pattern, sizes, exact.forward, arithmetic)
    forward = block_bound(exact.forward, delta, sizes, SummationOrder(bc, True), arithmetic)
    return exact, gradient_bounds(exact, tensors, pattern, order, forward, arithmetic), order


def tensors(pattern, seed=0, size=1.0):
    draw = np.random.default_rng(seed).standard_normal
    shapes = pattern.n_q, pattern.n_k, pattern.n_k, pattern.n_q
    return [(size * draw((n, pattern.d))).astype(np.float32) for n in shapes]


def flat(*parts):
    return np.concatenate([part.ravel() for part in parts])


def ratios(which, name, size=1.0):
    """Error over bound of what the adversary makes of dq, dk and dv."""
    pattern, br, bc = SIZES[which]
    given = tensors(pattern, size=size)
    exact, bound, order = bounded(given, pattern, br, bc, **ORDERS[name][0])
    seen = pattern.visible(0, pattern.n_q)
    seen = np.ones((pattern.n_q, pattern.n_k), bool) if seen is None else seen
    wide = [tensor.astype(np.float64) for tensor in given]
    found, worst = rounded.worst(wide, seen, pattern.scale, order, bc, br)
    right = flat(exact.dq, exact.dk, exact.dv)
    np.testing.assert_allclose(found, right, atol=1e-12 * np.abs(right).max())
    each = np.abs(worst - found) / flat(bound.dq, bound.dk, bound.dv)
    return np.split(each, np.cumsum([exact.dq.size, exact.dk.size]))


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("which", range(len(SIZES)))
def test_no_choice_of_roundings_exceeds_the_bound_and_the_worst_comes_near(which, name):
    for part in ratios(which, name):
        assert part.max() <= 1
        assert part.max() >= ORDERS[name][1]
    assert all(part.max() <= 1 for part in ratios(which, name, size=2.0))


@pytest.mark.parametrize("name", ORDERS)
def test_common_mistakes_lie_outside_the_bound(name):
    pattern = Pattern(12, 12, 8, causal=True)
    given = tensors(pattern)
    exact, bound, _ = bounded(given, pattern, 4, 4, Arithmetic(), **ORDERS[name][0])
    without_d = exact.scale * (exact.forward.shares * exact.dp) @ given[1]
    assert np.all(np.abs(without_d - exact.dq)[1:] > bound.dq[1:])
    assert np.all(np.abs(exact.dk / exact.scale - exact.dk) > bound.dk)  # the scale forgotten
    dropped = exact.dv - np.outer(exact.forward.shares[-1], given[3][-1])  # a query forgotten
    assert np.all(np.abs(dropped - exact.dv) > bound.dv)


def test_where_shares_may_be_anything_nothing_is_promised():
    """A query whose scores float32 cannot tell apart, and the keys that it sees, but no others."""
    pattern = Pattern(3, 5, 2, window=(1, 0), **CACHED)
    given = tensors(pattern)
    given[0][1] *= np.float32(2.0**24)
    given[1][2:4] = 1.0
    _, bound, _ = bounded(given, pattern, 2, 2)
    assert bound.certified.tolist() == [True, False, True]
    assert np.isinf(bound.dq).all(axis=1).tolist() == [False, True, False]
    for part in (bound.dk, bound.dv):
        assert np.isinf(part).all(axis=1).tolist() == [False, False, True, True, False]


def test_a_key_that_no_query_can_weigh_spoils_no_bound():
    """Its score errs by more than others differ, but its share is zero however it errs."""
    pattern = Pattern(4, 4, 2, scale=0.5)
    given = tensors(pattern)
    given[0][:, 0] = 1.0
    given[1][2] = -(2.0**30), 0.0
    exact, bound, _ = bounded(given, pattern, 2, 2)
    assert bound.certified.all()
    assert not exact.forward.shares[:, 2].any()
    assert np.all(bound.dv < 1e-4)
