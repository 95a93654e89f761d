"""What tensors show, and what they let pass: a mistake that is not named is caught once made."""

from dataclasses import replace

import numpy as np
import pytest
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.detection import undetected, undetected_families
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.hypotheses import hypotheses, named
from fusedfacts.judging.recipe import RECIPES
from hypothesis import given, settings
from hypothesis import strategies as st
from support.right_kernels import DTYPES, computed, tensors

RECIPE_OF = {"float32": RECIPES["fp32"], "float16": RECIPES["fp16"], "bfloat16": RECIPES["bf16"]}
EXTRAS = ("mask", "bias", "sink", "forgotten")


def problem(pattern, stored="float32", seed=0, size=1.5, **extras):
    q, k, v = tensors(pattern.n_q, pattern.n_k, pattern.d, DTYPES[stored], seed, size=size)
    return Problem(q, k, v, pattern, stored, **extras)


def sunk(pattern, stored="float32"):
    """Every row's largest score by far is its first: an attention sink."""
    right = problem(pattern, stored, size=0.5)
    k = right.k.copy()
    k[0] = 0
    q = right.q.copy()
    q[:, 0], k[0, 0], k[1:, 0] = 8, 8, 0
    return replace(right, q=q, k=k)


def answer(wrong, recipe):
    extras = {name: getattr(wrong, name) for name in EXTRAS}
    return computed(wrong.q, wrong.k, wrong.v, recipe, wrong.pattern, **extras)


@settings(max_examples=25, deadline=None)
@given(
    stored=st.sampled_from(sorted(DTYPES)),
    n_q=st.sampled_from([1, 20, 37]),
    n_k=st.sampled_from([5, 17, 40, 70]),
    size=st.sampled_from([0.05, 0.5, 3.0]),
    causal=st.booleans(),
    lse=st.booleans(),
    seed=st.integers(0, 999),
    which=st.integers(0, 99),
)
def test_what_is_not_named_is_caught_when_it_is_made(
    stored, n_q, n_k, size, causal, lse, seed, which
):
    """No guess: further off than both bounds together no rounding brings it back."""
    recipe = RECIPE_OF[stored]
    right = problem(Pattern(n_q, n_k, 8, causal=causal, align="bottom-right"), stored, seed, size)
    listed = [one for one in hypotheses(right) if one.lse_unit == 1 and one.problem.normalised]
    planted = listed[which % len(listed)]
    output, natural = answer(planted.problem, recipe)
    found = judge_head(right, recipe, output=output, lse=natural if lse else None)
    if not undetected([planted], right, recipe, lse=lse):
        assert found.verdict == "does not hold"


@pytest.mark.parametrize("stored", DTYPES)
def test_a_sink_hides_every_forgotten_rescale_from_the_first_tile_to_the_last(stored):
    right = sunk(Pattern(40, 70, 24), stored)
    names = undetected(hypotheses(right), right, RECIPE_OF[stored])
    assert [name for name in names if "larger score" in name and "met from" not in name] == [
        "neither the total nor the output is scaled when a larger score comes, in tiles of 16, 32"
        " or 64 keys",
        "the total alone is not scaled when a larger score comes, in tiles of 16, 32 or 64 keys",
        "the output alone is not scaled when a larger score comes, in tiles of 16, 32 or 64 keys",
    ]
    for planted in hypotheses(right):
        if planted.family == "rescale" and not planted.problem.forgotten.backwards:
            output, _ = answer(planted.problem, RECIPE_OF[stored])
            assert judge_head(right, RECIPE_OF[stored], output=output).verdict == "holds"


def test_equal_values_hide_wrong_weights_and_the_lse_shows_them():
    right = problem(Pattern(50, 50, 24, causal=True), "bfloat16")
    equal = replace(right, v=np.ones_like(right.v))
    recipe = RECIPES["bf16"]
    names = undetected(hypotheses(equal), equal, recipe)
    assert "the scale is 1" in names  # a mean of equal values, whatever the weights are
    assert "the answer is not divided by its total" not in names
    assert "the scale is 1" not in undetected(hypotheses(right), right, recipe)
    assert "the scale is 1" not in undetected(hypotheses(equal), equal, recipe, lse=True)


@pytest.mark.parametrize("lse", [False, True])
def test_a_mistake_is_detected_where_it_lies_beyond_both_bounds_together(lse):
    """Beyond the right one alone a wrong answer's own roundings might bring it back."""
    between = 0
    for size in np.geomspace(0.01, 4, 30):
        right = problem(Pattern(5, 20, 8), "float32" if lse else "float16", size=size)
        recipe = RECIPE_OF[right.stored]
        (slight,) = [one for one in hypotheses(right) if "too large" in one.name]
        (exact, bound), (wrong, own) = (
            next(iter(one.blocks(recipe))) for one in (right, slight.problem)
        )
        off, most, more = (
            (abs(wrong.lse - exact.lse), bound.lse, own.lse)
            if lse
            else (abs(wrong.output - exact.output), bound.output, own.output)
        )
        judged = {"output": not lse, "lse": lse}
        found = undetected([slight], right, recipe, **judged)
        assert bool(found) == bool(np.all(off <= most + more))
        between += bool(found) and bool(np.any(off > most))
    assert between


def test_an_lse_shows_its_base():
    right = problem(Pattern(5, 20, 8))
    names = undetected(hypotheses(right), right, RECIPES["fp32"], lse=True)
    assert "the lse is to base 2" not in names


def families(*problems, output=True, lse=False):
    made = [lambda one=one: one for one in problems]
    return undetected_families(made, RECIPES["fp32"], output=output, lse=lse)


def test_a_family_is_unshown_where_no_head_shows_any_of_it():
    pattern = Pattern(40, 70, 24)
    usual, sink = problem(pattern), sunk(pattern)
    equal = replace(usual, v=np.ones_like(usual.v))
    assert families(usual) == families(usual, sink) == families(sink, equal, usual) == []
    assert families(sink) == ["rescale"]
    assert families(equal) == ["scores"]  # the total alone still shows
    assert families(equal, output=False, lse=True) == []


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (Pattern(9, 16, 8), ["scores"]),  # one tile of keys: nothing to rescale
        (Pattern(9, 1, 8), []),  # one key: its share is one, whatever its score is
        (Pattern(1, 90, 8, causal=True), []),  # it sees the first key alone
        (Pattern(40, 40, 8, window=(0, 0)), []),
        (Pattern(40, 40, 8, causal=True), ["rescale", "scores"]),
    ],
)
def test_what_no_numbers_of_such_shapes_would_show_is_not_asked_for(pattern, found):
    right = problem(pattern)
    same = replace(right, q=right.q * 0, v=np.ones_like(right.v))
    assert families(same) == found


def test_all_rows_are_looked_at_before_a_mistake_is_named():
    """One row of many shows it, neither among the first nor the last."""
    pattern = Pattern(300, 70, 8)
    right = sunk(pattern)
    q = right.q.copy()
    q[150, 0] = -8
    names = undetected(hypotheses(replace(right, q=q)), replace(right, q=q), RECIPES["fp32"])
    forth = [name for name in names if "larger score comes, in" in name]
    assert all(name.endswith("in tiles of 64 keys") for name in forth)  # no larger one comes there
    assert families(replace(right, q=q)) == []


def test_mistakes_of_several_tiles_are_named_once():
    right = problem(Pattern(9, 40, 8))
    listed = [one for one in hypotheses(right) if one.family == "rescale"]
    assert len(listed) == 12
    assert len(named(listed)) == 6
    assert named(listed)[0].endswith("in tiles of 16 or 32 keys")
