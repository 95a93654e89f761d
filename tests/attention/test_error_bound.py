"""The bound: against its formula read literally, and against what it has to see and let pass."""

import numpy as np
import pytest
from fusedfacts.attention import reference, rescales
from fusedfacts.attention.arithmetic import (
    Arithmetic,
    fused_order,
    kv_outer_order,
    unfused_order,
)
from fusedfacts.attention.compare import compare, smallest_faults_seen
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.tiled import Faults, tiled
from fusedfacts.emulator import execute
from fusedfacts.numerics import exponential, rng
from hypothesis import given, settings
from hypothesis import strategies as st
from support.common import tensors

U = 2.0**-24


def slow_bound(q, k, v, causal, width_of_tile, online, mix_rows, stored=False):
    """docs/error-bound.md one element at a time, with expm1 and exp themselves."""
    n, d = q.shape
    scale = 1 / np.sqrt(d)
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    out = np.zeros((n, d))

    def gamma(depth):
        return depth * U / (1 - depth * U)

    for row in range(n):
        keys = np.arange(row + 1 if causal else n)
        w = keys.size
        s = np.array([q[row] @ k[i] * scale for i in keys])
        roundings = d if d in (16, 64) else d + 2
        error = np.array([np.abs(q[row]) @ np.abs(k[i]) * scale for i in keys]) * gamma(roundings)
        p = np.exp(s - s.max())
        p /= p.sum()
        tiles = [keys[a : a + width_of_tile] for a in range(0, w, width_of_tile)]
        rises = np.zeros(w)
        if online:
            for t, tile in enumerate(tiles):
                for later in range(t + 1, len(tiles)):
                    before = s[: tiles[later][0]].max()
                    rises[tile] += s[tiles[later]].max() + 2 * error.max() > before
        later = np.zeros(w)
        if stored:  # whether the tile's own maximum may lie below one before, and tiles to come
            for t, tile in enumerate(tiles):
                before = s[: tile[0]].max(initial=-np.inf)
                rises[tile] += before + 2 * error.max() > s[tile].max()
                later[tile] = len(tiles) - 1 - t
        e = exponential.ERROR / (1 - exponential.ERROR)
        theta = error + U * (s.max() - s + 2 * error.max()) + (1 + rises) * e
        t = -(-w // mix_rows)
        over = gamma(min(mix_rows, w) + t - 1 + rises)
        if stored:
            within = min(mix_rows, w) + min(1, t - 1)
            over = gamma(within + rises + 2 * later + later + 1)
            under = gamma(within - 1 + rises + later)
        elif online:
            under = gamma(min(mix_rows, w) + t - 2 + rises)
        else:
            over = over + U + over * U
            depth, lanes = 0, min(w, 256)
            while lanes > 1:
                lanes, depth = -(-lanes // 2), depth + 1
            under = gamma(depth + -(-w // 256) - 1 + rises)
        least = (p * np.exp(-theta)).sum()
        for c in range(d):
            o = (p * v[keys, c]).sum()
            moved = (p * np.expm1(theta) * np.abs(v[keys, c] - o)).sum() / least
            summed = (p * over * np.abs(v[keys, c])).sum() + (abs(o) + moved) * (p * under).sum()
            summed *= np.exp(theta.max()) / ((1 - under.max()) * least)
            total = moved + summed
            out[row, c] = total + U * (abs(o) + total) if online and not stored else total
    return out


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "d"), [(1, 16), (2, 32), (40, 16), (70, 64), (20, 128)])
def test_the_bound_is_its_formula(n, d, causal):
    q, k, v = tensors(n, d)
    orders = [fused_order(d, 8), unfused_order(d), kv_outer_order(d, 8)]
    found = attention_bounds(q, k, v, orders, causal=causal)
    mix = {16: 16, 32: 32, 64: 32, 128: 16}[d]
    wanted = [slow_bound(q, k, v, causal, 8, True, 8), slow_bound(q, k, v, causal, mix, False, mix)]
    wanted.append(slow_bound(q, k, v, causal, 8, True, 8, stored=True))
    for got, want in zip(found.bounds, wanted, strict=True):
        # Series stand in for expm1 and exp, from above: third order in theta.
        assert np.all(got >= want * (1 - 1e-12))
        np.testing.assert_allclose(got, want, rtol=1e-4)


ORDERS = {
    execute.fused: fused_order,
    execute.unfused: unfused_order,
    execute.kv_outer: kv_outer_order,
}


def kinds(n, d):
    q, k, v = tensors(n, d)
    spike = k.copy()
    spike[-1] *= 8
    tiny = v * np.float32(2.0**-140)
    return {
        "normal": (q, k, v),
        "dyadic": tensors(n, d, kind=rng.dyadic),
        "scores near 80": (q * np.float32(9), k * np.float32(9), v),
        "a spike": (q, spike, v),
        "equal keys": (q, np.repeat(k[:1], n, 0), v),
        "subnormal values": (q, k, tiny),
        "values of very different sizes": (q, k, v * np.float32(2.0) ** np.arange(-8, d - 8)),
    }


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [1, 2, 24, 129])
@pytest.mark.parametrize("kind", kinds(2, 16))
def test_right_answers_pass_on_every_kind_of_input(kind, n, causal):
    for d in (16, 32, 128):
        q, k, v = kinds(n, d)[kind]
        orders = [order(d) for order in ORDERS.values()]
        bounded = attention_bounds(q, k, v, orders, causal=causal)
        for launch, limit in zip(ORDERS, bounded.bounds, strict=True):
            seen = compare(launch(q, k, v, causal=causal).output, bounded.exact, limit)
            assert seen.passed, (d, seen.largest_ratio)


def test_a_fault_in_a_single_element_is_seen():
    """One element moved by its own bound, in an answer that is otherwise right."""
    q, k, v = tensors(200, 64)
    bounded = attention_bounds(q, k, v, [fused_order(64)])
    limit = bounded.bounds[0]
    wrong = execute.fused(q, k, v).output.copy()
    wrong[17, 5] = np.float32(bounded.exact[17, 5] + 1.01 * limit[17, 5])
    seen = compare(wrong, bounded.exact, limit)
    assert seen.wrong_elements == 1
    assert seen.wrong[17, 5]


def test_small_inputs_leave_the_bound_little_slack():
    """With two words the largest error over bound nears one: the bound is no safety factor."""
    worst = 0.0
    for seed in range(40):
        q, k, v = tensors(2, 16, seed)
        bounded = attention_bounds(q, k, v, [fused_order(16)])
        seen = compare(execute.fused(q, k, v).output, bounded.exact, bounded.bounds[0])
        assert seen.passed
        worst = max(worst, seen.largest_ratio)
    assert worst > 0.2


def tied(size):
    """Thirty nearly equal keys whose scores are near `size`, so that float32 cannot order them."""
    q, k, v = tensors(30, 16)
    k = np.repeat(np.abs(k[:1]), 30, 0) * np.float32(size / np.abs(k[0]).sum() * 4)
    return np.ones_like(q), k + tensors(30, 16, 6)[1] * np.float32(1e-3), v


def test_near_tied_huge_scores_are_not_certified_and_get_the_range_of_the_values():
    q, k, v = tied(2.0**24)
    bounded = attention_bounds(q, k, v, [fused_order(16), unfused_order(16)])
    assert bounded.certified == [False, False]
    reach = v.max(axis=0) - v.min(axis=0)
    roundings = 4 * (16 + 30) * U * np.abs(v).max(axis=0)
    for limit in bounded.bounds:
        assert np.all(limit >= reach * (1 + U))
        assert np.all(limit <= reach * (1 + 2**-19) + roundings)
    for output, limit in zip(
        (execute.fused(q, k, v).output, execute.unfused(q, k, v).output),
        bounded.bounds,
        strict=True,
    ):
        assert compare(output, bounded.exact, limit).passed
    # Equal values far from zero keep the rounding of sums.
    limit = attention_bounds(q, k, np.full_like(v, 1000), [fused_order(16)]).bounds[0]
    assert np.all(limit > 1000 * U)


EACH = [order(16) for order in ORDERS.values()]


def equal_to(values, units):
    """Values equal in each column but for that many units in the last place, up and down."""
    steps = np.where(np.arange(len(values))[:, None] % 2, units, 0).astype(np.int32)
    return (np.repeat(values[:1], len(values), 0).view(np.int32) + steps).view(np.float32)


def judged(q, k, v, causal=False):
    """The bounds of all kernels, which their own answers keep to."""
    bounded = attention_bounds(q, k, v, EACH, causal=causal)
    for launch, limit in zip(ORDERS, bounded.bounds, strict=True):
        assert compare(launch(q, k, v, causal=causal).output, bounded.exact, limit).passed
    return bounded


def test_one_key_is_certified_however_large_its_score_is():
    x = np.full((1, 16), 133_120, np.float32)
    bounded = judged(x, x, x)
    assert bounded.certified == [True] * 3
    for limit in bounded.bounds:
        assert np.all(limit < 1e-6 * 133_120)
        off = x.copy()
        off[0, 3] += np.float32(1.01 * limit[0, 3] + 1e-2)
        assert compare(off, bounded.exact, limit).wrong_elements == 1


@pytest.mark.parametrize("n", [2, 30, 130])
def test_equal_values_are_certified_and_hide_no_fault_of_the_sums(n):
    q, k, v = (np.resize(x, (n, 16)) for x in tied(2.0**24))
    bounded = judged(q, k, equal_to(v, 0))
    assert bounded.certified == [True] * 3
    for limit in bounded.bounds:
        assert np.all(limit <= 1e-4 * np.abs(v[0]))
        # A key that is left out of the numerator alone is an error of one part in n.
        assert not compare(equal_to(v, 0) * np.float32(1 - 1 / n), bounded.exact, limit).passed


@pytest.mark.parametrize("causal", [False, True])
def test_certified_ends_where_values_differ_by_more_than_sums_may_round(causal):
    q, k, v = tied(2.0**24)
    for units, sure in ((1, True), (2**20, False)):
        assert judged(q, k, equal_to(v, units), causal).certified == [sure] * 3
    # One column that differs is enough: its elements would pass whatever the weights are.
    other = equal_to(v, 0)
    other[:, 7] = v[:, 7]
    assert judged(q, k, other, causal).certified == [False] * 3


@settings(max_examples=30)
@given(
    n=st.sampled_from([1, 2, 17, 65, 129]),
    size=st.floats(2.0**20, 2.0**40),
    units=st.integers(0, 300),
    seed=st.integers(0, 99),
    causal=st.booleans(),
)
def test_where_weights_may_be_anything_right_answers_pass_and_certified_means_sharp(
    n, size, units, seed, causal
):
    q, k, v = tensors(n, 16, seed)
    values = equal_to(v, units)
    bounded = judged(np.sign(q), k * np.float32(size), values, causal)
    for limit, sure in zip(bounded.bounds, bounded.certified, strict=True):
        roundings = 2 * (n + 4) * 6 * U  # twice what sums of n terms may round, generously
        if sure:
            assert np.all(limit <= roundings * np.abs(values).max(axis=0) + 2.0**-120)
        else:
            assert n > 1


@pytest.mark.parametrize(("theta", "sure"), [(0.69, True), (0.71, False)])
def test_certification_ends_at_its_limit(theta, sure):
    # All scores equal, so theta is the score error, d u times the score, and little else.
    q, k, v = tensors(8, 16)
    k = np.full_like(k, theta / (16 * U) / 4)
    assert attention_bounds(np.ones_like(q), k, v, [fused_order(16)]).certified == [sure]


def test_one_uncertified_block_of_rows_uncertifies_the_whole(monkeypatch):
    monkeypatch.setattr(reference, "BLOCK_PAIRS", 8 * 30)
    monkeypatch.setattr(reference, "BLOCK_ROWS_LEAST", 1)
    q, k, v = tied(2.0**24)
    q[8:] = 0
    assert attention_bounds(q, k, v, [fused_order(16)]).certified == [False]


def test_a_far_loser_does_not_hide_a_fault_of_the_others():
    q, k, v = tensors(8, 16)
    q[:, 1:], k[:, 1:] = 0, 0
    q[:, 0], k[-1, 0] = 4, -1e5
    bounded = attention_bounds(q, k, v, [fused_order(16, 2)])
    assert bounded.certified == [True]
    assert compare(tiled(q, k, v, key_rows=2).output, bounded.exact, bounded.bounds[0]).passed
    for faults in (Faults(scaled=False), Faults(dropped_key=0)):
        wrong = tiled(q, k, v, key_rows=2, faults=faults).output
        assert not compare(wrong, bounded.exact, bounded.bounds[0]).passed


@pytest.mark.parametrize("n", [2, 9, 200])
def test_roundings_that_all_go_one_way_come_near_the_bound_of_a_whole_answer_in_every_tile(n):
    """Tiles of one key, scores that sink, equal values: no weight matters, and every sum does."""
    q, k, ones = np.zeros((n, 16), np.float32), np.zeros((n, 16), np.float32), np.ones((n, 16))
    q[:, 0], k[:, 0] = 4, np.arange(n) * -(2.0**-10)
    up, down = 1 + U, 1 - U
    total, answer = 1.0, up**2  # after the first key: its product, and its division
    for key in range(1, n):
        factor = np.exp(-(2.0**-10) * key)
        mixed = (total * answer * up + factor * up**2) * up
        total = (total + factor * down) * down
        answer = mixed / total * up
    orders = [kv_outer_order(16, 1), fused_order(16, 1)]
    of_stored, of_fused = attention_bounds(q, k, ones.astype(np.float32), orders).bounds
    assert 0.8 < (answer - 1) / of_stored[0, 0] <= 1
    assert answer - 1 > of_fused[0, 0]  # which divides once


def test_a_whole_answer_in_every_tile_leaves_the_bound_little_slack():
    """Two tiles of one key: few roundings, so the worst of many draws comes near the bound."""
    worst = 0.0
    for seed in range(60):
        q, k, v = tensors(2, 16, seed)
        bounded = attention_bounds(q, k, v, [kv_outer_order(16, 1)])
        output = execute.kv_outer(q, k, v, key_rows=1).output
        seen = compare(output, bounded.exact, bounded.bounds[0])
        assert seen.passed
        worst = max(worst, seen.largest_ratio)
    assert worst > 0.2


def test_underflow_in_scores_and_in_weights_is_allowed_for(monkeypatch):
    """Two inputs whose whole error is underflow: without its terms right answers would fail."""
    q, k, v = tensors(2, 16)
    q[:], k[:], v[:] = 0, 0, 0
    v[1] = 1
    heavy = (np.full_like(q, 5 * 2.0**-149), k.copy(), v)
    heavy[1][1] = 2.0**126
    light = (q.copy(), k.copy(), v)
    light[0][:, 0], light[1][1, 0] = 4, -101
    for qkv in (heavy, light):
        bounded = attention_bounds(*qkv, [fused_order(16)])
        assert compare(execute.fused(*qkv).output, bounded.exact, bounded.bounds[0]).passed
    dry = Arithmetic(underflow=0.0)
    bounded = attention_bounds(*light, [fused_order(16)], arithmetic=dry)
    assert not compare(execute.fused(*light).output, bounded.exact, bounded.bounds[0]).passed
    wet = attention_bounds(*heavy, [fused_order(16)]).bounds[0]
    assert np.all(wet > 2 * attention_bounds(*heavy, [fused_order(16)], arithmetic=dry).bounds[0])


def signs(x):
    return np.where(np.arange(x.size).reshape(x.shape) % 2, 1, -1).astype(np.float32)


def flushing(x):
    y = exponential.exp(x)
    return np.where(y < 2.0**-126, np.float32(0), y)


def sloping(x):
    return exponential.exp(x) * (1 + signs(x) * np.float32(ROUGH) * np.abs(x))


def poor(x):
    return np.where(x == 0, 1, exponential.exp(x) * (1 + signs(x) * ROUGH)).astype(np.float32)


ROUGH = 2.0**-12
MACHINES = {
    flushing: Arithmetic(underflow=2.0**-125),
    sloping: Arithmetic(exp_slope=ROUGH * 1.01),
    poor: Arithmetic(exp=ROUGH * 1.01),
}


@pytest.mark.parametrize("exp", MACHINES)
def test_another_machine_is_within_its_own_bound_only(exp):
    q, k, v = tensors(60, 16)
    if exp == flushing:  # two words, of which one has a weight below the normal range
        q, k, v = q[:2] * 0, k[:2] * 0, v[:2] * 0
        q[:, 0], k[1, 0], v[1] = 4, -90, 1
    order = [fused_order(16, 8)]
    output = execute.fused(q, k, v, key_rows=8, exponential=exp).output
    own = attention_bounds(q, k, v, order, arithmetic=MACHINES[exp])
    ieee = attention_bounds(q, k, v, order)
    assert compare(output, own.exact, own.bounds[0]).passed
    assert not compare(output, ieee.exact, ieee.bounds[0]).passed
    assert np.all(own.bounds[0] > ieee.bounds[0])


def test_possible_rises_count_near_ties():
    scores = np.array([0.0, 1.0, 1.0, 0.5, 2.0, 2.0])
    rises = np.empty(6)
    for slack, expected in ((0.0, [1, 1, 1, 1, 0, 0]), (1e-3, [2, 2, 1, 1, 0, 0])):
        rescales.rises_by_tile(scores, slack, 2, rises)
        assert rises.tolist() == expected


def test_the_planted_fault_that_is_still_seen_is_really_seen():
    q, k, v = tensors(64, 16)
    bounded = attention_bounds(q, k, v, [fused_order(16)])
    output = execute.fused(q, k, v).output
    found = smallest_faults_seen(output, bounded.exact, bounded.bounds[0])
    seen = output * np.float32(1 / (1 - 2.0 ** -found["in_every_row"]))
    finer = np.float32(1 / (1 - 2.0 ** -(found["in_some_row"] + 1)))
    assert finer > 1
    unseen = output * finer
    assert compare(seen, bounded.exact, bounded.bounds[0]).wrong_rows.all()
    assert compare(unseen, bounded.exact, bounded.bounds[0]).passed
    # Answers of zero show no relative fault.
    bounded = attention_bounds(q, k, v * 0, [fused_order(16)])
    found = smallest_faults_seen(output * 0, bounded.exact, bounded.bounds[0])
    assert found == {"in_some_row": None, "in_every_row": None}
