"""The bound of a recipe is what docs/error-bound.md says, read literally, each parameter apart."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.head import Problem
from fusedfacts.judging.recipe import RECIPES
from support.right_kernels import DTYPES, rows_of, tensors

NAMES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
NAMES |= {"fp16-scores": "float16", "bf16-scores": "bfloat16"}


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


def rises_of(s, slack, recipe, keys, n_k):
    """How often the maximum may rise after each key, or before it where tiles may have any size."""
    b = recipe.key_rows or 1
    tile = keys // b
    if recipe.splits > 1 or not recipe.exponential_of_zero_is_one:
        return (n_k - 1) // b - tile
    tops = np.array([s[tile == t].max() for t in range(tile[0], tile[-1] + 1)])

    def after(tops):
        rose = [t and tops[t] + slack > tops[:t].max() - slack for t in range(len(tops))]
        return np.array([sum(rose[t + 1 :]) for t in range(len(tops))])

    if recipe.key_rows:
        return after(tops)[tile - tile[0]]
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
        rises = (
            rises_of(s, delta.max(), recipe, keys, len(k))
            if recipe.normalised == "after"
            else 0 * s
        )
        if sink is not None:  # it comes first or last
            u_s = UNIT[recipe.scores] if recipe.scores != "float32" else 0
            s, delta = np.append(s, sink), np.append(delta, u_s * abs(sink))
            rises = np.append(rises, rises[0]) + (recipe.normalised == "after")
            values = np.vstack([values, np.zeros(v.shape[1])])
        b = recipe.key_rows or 1
        tiles = keys[-1] // b - keys[0] // b + 1 + (sink is not None)
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
    "tiles seen in part": (replace(FP16, key_rows=5), "float16", {"window": (6, 0)}),
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
    pattern = Pattern(n, n, d, causal=True, window=of.get("window"), softcap=of.get("softcap"))
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


@pytest.mark.parametrize("normalised", ["after", "before"])
@pytest.mark.parametrize("name", ["fp32", "fp16"])
def test_where_any_weight_may_be_wrong_it_is_the_range_of_the_values(name, normalised):
    recipe, stored = replace(RECIPES[name], normalised=normalised), "float32"
    q, k, v = tensors(1, 9, 24, np.float32)
    ((block, found),) = Problem(q * 1e6, k, v, Pattern(1, 9, 24), stored).blocks(recipe)
    u, online = UNIT["float32"], normalised == "after"
    u_p, u_t, u_o = (0, 0, 0) if name == "fp32" else [UNIT["float16"]] * 3
    depth = 9 + 8 + 2 * 9  # a, c and every key a tile
    least = LEAST[recipe.weights] * np.abs(v).sum(axis=0, dtype=np.float64)
    mean = both(2 * gamma(depth, u), u_p, u_t, 0 if online else u) * np.abs(v).max(axis=0) + least
    wanted = v.max(axis=0).astype(np.float64) - v.min(axis=0) + mean
    exact = np.abs(block.output[0])
    wanted = wanted + online * u * (exact + wanted)
    wanted = wanted + u_o * (exact + wanted) + LEAST[recipe.output]
    np.testing.assert_allclose(found.output[0], wanted, rtol=2e-6)
    assert np.all(found.output[0] >= wanted)
    assert not found.certified[0]
    open_to_all = Problem(q * 1e6, k, v * 0 + 1, Pattern(1, 9, 24), stored)
    ((_, found),) = open_to_all.blocks(recipe)
    assert found.certified[0]  # a mean of ones is one, whatever the weights are
    ((_, found),) = replace(open_to_all, sink=float(block.lse[0])).blocks(recipe)
    assert not found.certified[0]  # and a sink's value is zero
    assert np.all(found.output > 1)
