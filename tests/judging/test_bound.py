"""The bound of a recipe: right kernels hold, some rows alone, roundings at their worst."""

from dataclasses import replace
from itertools import pairwise

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
