"""The bound of a recipe: its formula read literally, right kernels, roundings at their worst."""

from dataclasses import replace
from itertools import pairwise
from math import prod

import numpy as np
import pytest
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.recipe import RECIPES
from hypothesis import given, settings
from hypothesis import strategies as st
from support.right_kernels import DTYPES, computed, rows_of, tensors

PATTERNS = {
    "all": {},
    "causal": {"causal": True},
    "bottom-right": {"causal": True, "align": "bottom-right"},
    "window": {"causal": True, "align": "bottom-right", "window": (5, 0)},
    "two-sided window": {"window": (3, 2)},
    "softcap": {"softcap": 2.0},
    "scale": {"scale": 0.3},
}
NAMES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
NAMES |= {"fp16-scores": "float16", "bf16-scores": "bfloat16"}


@pytest.mark.parametrize("kind", PATTERNS)
@pytest.mark.parametrize("name", NAMES)
def test_right_kernels_hold_under_their_recipe(name, kind):
    recipe, stored = RECIPES[name], NAMES[name]
    for n_q, n_k, d, size in ((1, 70, 80, 1), (40, 40, 24, 3), (33, 70, 64, 1)):
        q, k, v = tensors(n_q, n_k, d, DTYPES[stored], size=size)
        pattern = Pattern(n_q, n_k, d, **PATTERNS[kind])
        output, lse = computed(q, k, v, recipe, pattern)
        found = judge_head(Problem(q, k, v, pattern, stored), recipe, output=output, lse=lse)
        assert found.verdict == "holds", (found.output, found.lse)


@pytest.mark.parametrize("name", NAMES)
def test_masks_biases_and_sinks_are_part_of_the_problem(name):
    recipe, stored = RECIPES[name], NAMES[name]
    q, k, v = tensors(30, 50, 32, DTYPES[stored])
    pattern = Pattern(30, 50, 32)
    draw = np.random.default_rng(3)
    kinds = {
        "mask": {"mask": rows_of(draw.random((30, 50)) < 0.4)},
        "bias": {"bias": rows_of(draw.standard_normal((30, 50)).astype(np.float32) * 4)},
        "sink": {"sink": 1.5},
        "a high sink": {"sink": 30.0},
    }
    for extras in kinds.values():
        output, lse = computed(q, k, v, recipe, pattern, **extras)
        options = {"output": output, "lse": lse}
        found = judge_head(Problem(q, k, v, pattern, stored, **extras), recipe, **options)
        assert found.verdict == "holds", (found.output, found.lse)
        forgotten = judge_head(Problem(q, k, v, pattern, stored), recipe, **options)
        assert forgotten.verdict == "does not hold"


def test_rows_that_see_nothing_are_not_judged_and_what_stands_there_is_said():
    q, k, v = tensors(6, 4, 16, np.float32)
    pattern = Pattern(6, 4, 16, causal=True, align="bottom-right")
    output, lse = computed(q, k, v, RECIPES["fp32"], pattern)
    problem = Problem(q, k, v, pattern, "float32")
    for value, said in ((0, "zeros"), (np.nan, "NaN"), (v.mean(axis=0), "the mean of V")):
        output[:2] = value
        found = judge_head(problem, RECIPES["fp32"], output=output, lse=lse)
        assert (found.verdict, found.blind_rows, found.blind) == ("holds", 2, [said])
        assert found.output.elements == 4 * 16
    output[0], output[1] = 7, 0
    found = judge_head(problem, RECIPES["fp32"], output=output)
    assert found.blind == ["something else", "zeros"]


def split(q, k, v, pattern, ends):
    """Attend part by part, each to an answer and an lse, and weigh parts as flash-decoding does."""
    outputs, natural = [], []
    for first, last in pairwise((0, *ends, len(k))):
        part = slice(first, last)
        recipe = RECIPES["fp32"]
        some = replace(pattern, n_k=last - first, shift=pattern.offset - first, align="top-left")
        o, lse = computed(q, k[part], v[part], recipe, some, key_rows=8)
        outputs.append(np.nan_to_num(o))
        natural.append(lse.astype(np.float32))
    natural = np.stack(natural)
    highest = natural.max(axis=0)
    lse = np.log(np.exp(natural - highest).sum(axis=0, dtype=np.float32)) + highest
    weights = np.exp(natural - lse)[..., None]
    return sum(w * o for w, o in zip(weights, outputs, strict=True)), lse


@pytest.mark.parametrize("ends", [(24,), (8, 16), (40,)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rising", [False, True])
def test_keys_that_are_split_are_weighed_by_an_lse_that_errs(ends, causal, rising):
    """Of values that are alike the answer is the sum of weights, which nothing divides again."""
    q, k, v = tensors(48, 48, 16, np.float32)
    q[:, 0], k[:, 0], v[:] = 40, 40, 1
    if rising:  # in the second part, though below the first key's score
        k[:, 0] += np.arange(48) / 100
        k[0, 0] = 41
    recipe = replace(RECIPES["fp32"], key_rows=8, splits=len(ends) + 1)
    pattern = Pattern(48, 48, 16, causal=causal)
    problem = Problem(q, k, v, pattern, "float32")
    output, lse = split(q, k, v, pattern, ends)
    found = judge_head(problem, recipe, output=output, lse=lse)
    assert found.verdict == "holds", (found.output, found.lse)
    assert judge_head(problem, RECIPES["fp32"], output=output).verdict == "does not hold"


@pytest.mark.parametrize("kind", PATTERNS)
def test_some_rows_alone_are_the_same_problem(kind):
    q, k, v = tensors(30, 50, 16, np.float32)
    draw = np.random.default_rng(3)
    tables = {"mask": draw.random((30, 50)) < 0.6, "bias": draw.standard_normal((30, 50))}
    tables = {name: rows_of(table) for name, table in tables.items()}
    whole = Problem(q, k, v, Pattern(30, 50, 16, **PATTERNS[kind]), "float32", **tables)
    ((block, bound),) = whole.blocks(RECIPES["fp32"])
    ((some, of_some),) = whole.rows(5, 25).rows(3, 12).blocks(RECIPES["fp32"])
    np.testing.assert_allclose(some.output, block.output[8:17], rtol=1e-12)
    np.testing.assert_allclose(of_some.output, bound.output[8:17], rtol=1e-5)
    np.testing.assert_allclose(of_some.lse, bound.lse[8:17], rtol=1e-5)


def gamma(depth, u):
    return depth * u / (1 - depth * u)


UNIT = {"float32": 2.0**-24, "tf32": 2.0**-11, "float16": 2.0**-11, "bfloat16": 2.0**-8}
LEAST = {"float32": 0, "tf32": 2.0**-137, "float16": 2.0**-25, "bfloat16": 2.0**-134}
LOGARITHM = HYPERBOLIC = 2.0**-21


def both(*units):
    """The error of several roundings one after the other."""
    return prod(1 + unit for unit in units) - 1


def scores_of(q, k, recipe, stored, pattern, bias):
    """The scores of one query, exactly, and delta; half formats have units, float32 has u."""
    u = UNIT["float32"] * (2 if recipe.truncated_sums else 1)
    u_t = UNIT[recipe.operands] if UNIT[recipe.operands] > UNIT[stored] else 0
    u_r = max(UNIT[stored], UNIT[recipe.operands]) if recipe.scaled_inputs else 0
    u_s = UNIT[recipe.scores] if recipe.scores != "float32" else 0
    least = LEAST[recipe.scores]
    roundings = gamma(pattern.d + (4 if u_r else 2), u)
    scale = pattern.softmax_scale
    s = k @ q * scale
    delta = np.abs(k) @ np.abs(q) * scale * both(roundings, u_t, u_t, u_r, u_r)
    if pattern.softcap:
        s = pattern.softcap * np.tanh(s / pattern.softcap)
        delta = delta + (3 * u + HYPERBOLIC) * (np.abs(s) + delta)
    delta = delta + u_s * (np.abs(s) + delta) + least
    if bias is not None:
        s = s + bias
        delta = delta + 2 * u * np.abs(bias) + (u + u_s) * (np.abs(s) + delta)
    return s, delta


def rises_of(s, slack, recipe, n_k):
    """How often the maximum may rise after each key, or before it where tiles may have any size."""
    b = recipe.key_rows or 1
    tile = np.arange(len(s)) // b
    if recipe.splits > 1 or not recipe.exponential_of_zero_is_one:
        return (n_k - 1) // b - tile
    tops = np.array([s[tile == t].max() for t in range(tile[-1] + 1)])

    def after(tops):
        rose = [t and tops[t] + slack > tops[:t].max() - slack for t in range(len(tops))]
        return np.array([sum(rose[t + 1 :]) for t in range(len(tops))])

    if recipe.key_rows:
        return after(tops)[tile]
    return np.maximum(after(tops), after(tops[::-1])[::-1])


def slow_bound(q, k, v, recipe, stored, pattern, bias=None, sink=None):
    """docs/error-bound.md, other precisions and orders, one row and one element at a time."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    seen = pattern.visible(0, len(q))
    out, lses = np.zeros((len(q), v.shape[1])), np.zeros(len(q))
    for row in range(len(q)):
        keys = np.flatnonzero(seen[row])
        some = None if bias is None else bias[row, keys]
        s, delta = scores_of(q[row], k[keys], recipe, stored, pattern, some)
        values = v[keys]
        rises = rises_of(s, delta.max(), recipe, len(k)) if recipe.normalised == "after" else 0 * s
        if sink is not None:  # it comes first or last
            u_s = UNIT[recipe.scores] if recipe.scores != "float32" else 0
            s, delta = np.append(s, sink), np.append(delta, u_s * abs(sink))
            rises = np.append(rises, rises[0]) + (recipe.normalised == "after")
            values = np.vstack([values, np.zeros(v.shape[1])])
        tiles = -(-keys.size // (recipe.key_rows or 1)) + (sink is not None)
        out[row], lses[row] = row_bound(s, delta, rises, tiles, values, recipe, stored)
    return out, lses


def row_bound(s, delta, rises, tiles, v, recipe, stored):
    u = UNIT["float32"] * (2 if recipe.truncated_sums else 1)
    u_d, u_p, u_o = UNIT["float32"], UNIT[recipe.weights], UNIT[recipe.output]
    u_p, u_o = (0 if x == u_d else x for x in (u_p, u_o))
    u_t = UNIT[recipe.operands] if UNIT[recipe.operands] > UNIT[stored] else 0
    error = recipe.exponential or 2.0**-22
    e = error / (1 - error)
    w, b, parts = len(s), recipe.key_rows, recipe.splits
    online, split = recipe.normalised == "after", parts > 1
    slack, m = delta.max(), s.max()
    p = np.exp(s - m)
    lse = m + np.log(p.sum())
    p /= p.sum()
    theta = delta + u * (m - s + 2 * slack) + (1 + rises) * e
    if recipe.folded_exp2:
        theta += 2 * u * (m - s) + (1 + rises) * u * np.maximum(np.abs(s), abs(m))
    if split:
        theta += 3 * u * np.maximum(np.abs(s), abs(lse)) + LOGARITHM * (1 + lse - s) + 2 * e
    depth = (min(b, w) + tiles - 1 if b else w) + (parts if split else 0) + rises
    a, c = gamma(depth, u), gamma(depth - 1, u)
    a = both(a, u_p, u_t, 0 if online else u_d)
    least = LEAST[recipe.weights] * (p.max() if online else 1)
    of_total = 0
    if recipe.total_of_rounded_weights:
        c, of_total = both(c, u_p), least
    z = (p * np.exp(-theta)).sum()
    g = np.exp(theta.max()) / ((1 - c.max()) * z)
    total = (p * c + of_total).sum()
    found = []
    for column in v.T:
        o = (p * column).sum()
        moved = (p * np.expm1(theta) * np.abs(column - o)).sum() / z
        summed = ((p * a + least) * np.abs(column)).sum()
        bound = moved + g * (summed + (abs(o) + moved) * total)
        for _ in range(online + split):
            bound += u_d * (abs(o) + bound)
        if split:
            x = 3 * u * max(abs(m) + slack, abs(lse)) + LOGARITHM * (1 + lse - m) + 2 * e
            bound += np.expm1(x + gamma(2 * parts, u)) * (abs(o) + bound)
        found.append(bound + u_o * (abs(o) + bound) + LEAST[recipe.output])
    x = g * total
    natural = min((p * np.expm1(theta)).sum(), theta.max()) + x / (1 - x)
    natural += LOGARITHM * (1 + lse - m) + 2 * u * (abs(lse) + abs(m) + lse - m + theta.max())
    return found, natural


FP16, BF16, STORED = (RECIPES[name] for name in ("fp16", "bf16", "fp16-scores"))
OWN = {"exponential": 2.0**-13, "exponential_of_zero_is_one": False, "key_rows": 4}
FORMULAS = {
    **{name: (RECIPES[name], stored, {}) for name, stored in {**NAMES, "tf32": "float32"}.items()},
    "wider inputs": (FP16, "float32", {}),
    "folded": (replace(FP16, folded_exp2=True), "float16", {}),
    "cut off": (replace(FP16, truncated_sums=True), "float16", {}),
    "a total of rounded weights": (replace(BF16, total_of_rounded_weights=True), "bfloat16", {}),
    "tiny rounded weights": (replace(FP16, total_of_rounded_weights=True), "float16", {"d": 512}),
    "shares": (replace(FP16, normalised="before"), "float16", {}),
    "scaled inputs": (replace(STORED, scaled_inputs=True), "float16", {}),
    "wider scaled inputs": (replace(FP16, scaled_inputs=True), "float32", {}),
    "its own exponential": (replace(FP16, **OWN), "float16", {}),
    "tiles": (replace(RECIPES["fp32"], key_rows=5), "float32", {}),
    "splits": (replace(RECIPES["fp32"], key_rows=4, splits=3), "float32", {}),
    "softcap": (RECIPES["fp32"], "float32", {"softcap": 2.0}),
    "bias": (RECIPES["fp32"], "float32", {"bias": 9.0}),
    "stored scores with a bias": (STORED, "float16", {"bias": 9.0}),
    "sink": (STORED, "float16", {"sink": 1.0}),
    "sink in tiles": (replace(FP16, key_rows=5), "float16", {"sink": -3.0}),
}


@pytest.mark.parametrize("kind", FORMULAS)
def test_the_bound_is_its_formula(kind):
    recipe, stored, of = FORMULAS[kind]
    n, d = 13, of.get("d", 24)
    q, k, v = tensors(n, n, d, DTYPES[stored], size=1.5)
    pattern = Pattern(n, n, d, causal=True, softcap=of.get("softcap"))
    bias = np.random.default_rng(1).standard_normal((n, n)) * of["bias"] if "bias" in of else None
    sink = of.get("sink")
    wanted = slow_bound(q, k, v, recipe, stored, pattern, bias, sink)
    rows = None if bias is None else rows_of(bias)
    problem = Problem(q, k, v, pattern, stored, bias=rows, sink=sink)
    wide = replace(
        problem, **{x: y.astype(np.float64) for x, y in zip("qkv", (q, k, v), strict=True)}
    )
    for some in (problem, wide):  # sums in float32, and in float64
        ((_, found),) = some.blocks(recipe)
        for got, want in zip((found.output, found.lse), wanted, strict=True):
            assert np.all(got >= want * (1 - 1e-12))
            np.testing.assert_allclose(got, want, rtol=1e-3, err_msg=kind)


def worst(q, k, v, recipe, stored):
    """An answer whose every rounding goes the way that moves it most: up for large values of V.

    One query, one column of zeros and ones: what raises weights of ones raises the answer.
    """
    formats, arithmetic = recipe.formats(stored), recipe.arithmetic
    u, e = arithmetic.unit, arithmetic.exp
    way = np.where(v[:, 0] > 0, 1.0, -1.0)
    d = q.shape[1]
    s = (q @ k.T)[0] * d**-0.5
    sizes = (np.abs(q) @ np.abs(k).T)[0] * d**-0.5
    s = s + way * sizes * ((1 + u) ** Pattern(1, len(k), d).score_roundings - 1)
    s = s + way * np.abs(s) * formats.scores
    p = np.exp(s - s.max()) * (1 + way * e)
    total = (p * (1 - u) ** (len(p) - 1)).sum()
    numerator = (p * v[:, 0] * (1 + formats.weights) * (1 + u) ** len(p)).sum()
    return numerator / total * (1 + u) * (1 + formats.output)


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(["fp16", "bf16", "fp16-scores", "bf16-scores"]),
    n=st.integers(2, 60),
    d=st.sampled_from([1, 7, 64, 100]),
    seed=st.integers(0, 99),
)
def test_roundings_at_their_worst_stay_within_and_nearly_reach_it(name, n, d, seed):
    """It can't be much smaller: the bound is no safety factor."""
    recipe, stored = RECIPES[name], NAMES[name]
    q, k, _ = (x.astype(np.float64) for x in tensors(1, n, d, DTYPES[stored], seed))
    v = np.zeros((n, 1))
    v[: max(1, n // 2)] = 1
    answer = np.array([[worst(q, k, v, recipe, stored)]])
    found = judge_head(Problem(q, k, v, Pattern(1, n, d), stored), recipe, output=answer)
    assert found.verdict == "holds"
    assert found.output.largest_ratio > 0.9
