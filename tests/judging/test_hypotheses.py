"""What may have been done instead: planted, each is named; what is not listed gets no name."""

from dataclasses import replace

import numpy as np
import pytest
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.detection import undetected
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.hypotheses import hypotheses, named, that_hold
from fusedfacts.judging.recipe import RECIPES
from support.right_kernels import DTYPES, computed, rows_of, tensors

FORMATS = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
CALLS = {
    "all": Pattern(40, 70, 24),
    "causal": Pattern(50, 50, 24, causal=True),
    "decode": Pattern(3, 90, 24, causal=True, align="bottom-right"),
    "window": Pattern(40, 70, 24, causal=True, align="bottom-right", window=(9, 0)),
    "softcap": Pattern(40, 70, 24, softcap=3.0),
}


def problem(pattern, stored, seed=0, **extras):
    q, k, v = tensors(pattern.n_q, pattern.n_k, pattern.d, DTYPES[stored], seed, size=1.5)
    return Problem(q, k, v, pattern, stored, **extras)


def answer(of, recipe):
    """What a kernel would give that computes another problem, or to another base."""
    extras = {name: getattr(of, name) for name in ("mask", "bias", "sink", "forgotten")}
    output, lse = computed(of.q, of.k, of.v, recipe, of.pattern, **extras)
    if not of.normalised:
        total = [block.lse - block.scores.max(axis=1) for block, _ in of.blocks(recipe)]
        output = (output.astype(np.float64) * np.exp(np.concatenate(total))[:, None]).astype(
            output.dtype
        )
    return output, lse


def listed(right, seed):
    """All hypotheses, of heads of k and v, too."""
    _, k, v = tensors(1, right.pattern.n_k, 24, DTYPES[right.stored], seed + 50, size=1.5)
    return list(hypotheses(right, (k, v)))


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("name", FORMATS)
def test_every_mistake_of_the_list_is_named_when_it_is_made(name, kind):
    recipe = RECIPES[name]
    right = problem(CALLS[kind], FORMATS[name])
    output, lse = answer(right, recipe)
    assert judge_head(right, recipe, output=output, lse=lse).verdict == "holds"
    for planted in listed(right, 0):
        output, lse = answer(planted.problem, recipe)
        lse = lse / np.float32(planted.lse_unit)
        found = judge_head(right, recipe, output=output, lse=lse)
        if found.verdict == "holds":  # it changes nothing here, or less than the format shows
            assert undetected([planted], right, recipe, lse=True) == named([planted])
            continue
        told = that_hold([planted], recipe, output, lse, found.worst_row)
        assert named([planted])[0] in dict(told)
        assert all(ratio <= 1 for _, ratio in told)


def test_extras_left_out_are_named():
    draw = np.random.default_rng(1)
    shape = 40, 70
    extras = {
        "mask": rows_of(draw.random(shape) < 0.5),
        "bias": rows_of(draw.standard_normal(shape).astype(np.float32)),
        "sink": 2.0,
    }
    right = problem(CALLS["all"], "float32", **extras)
    for extra in extras:
        wrong = replace(right, **{extra: None})
        output, lse = answer(wrong, RECIPES["fp32"])
        told = dict(that_hold(hypotheses(right), RECIPES["fp32"], output, lse))
        assert list(told) == [f"the {extra} is left out"]


def test_one_mistake_has_one_name_on_an_input_that_tells_all_apart():
    right = problem(Pattern(50, 50, 24, causal=True), "float32")
    for planted in listed(right, 0):
        output, lse = answer(planted.problem, RECIPES["fp32"])
        lse = lse / np.float32(planted.lse_unit)
        told = that_hold(listed(right, 0), RECIPES["fp32"], output, lse)
        assert [name for name, _ in told] == named([planted])


def faults_off_the_list(output):
    """Twenty wrong answers that are none of the hypotheses."""
    draw = np.random.default_rng(2)
    wide = output.astype(np.float32)
    n_q = len(wide)

    def changed(rows, columns, value):
        other = wide.copy()
        other[rows, columns] = value
        return other

    yield wide + np.float32(0.1)
    yield wide * np.float32(1.1)
    yield -wide
    yield wide[::-1]
    yield wide[:, ::-1]
    yield np.roll(wide, 1, axis=0)
    yield np.roll(wide, 1, axis=1)
    yield changed(0, 0, 9)
    yield changed(-1, -1, 9)
    yield changed(slice(None), 3, 0)
    yield changed(slice(n_q // 2, None), slice(None), 0)
    yield changed(5, slice(None), np.nan)
    yield wide + draw.standard_normal(wide.shape).astype(np.float32)
    yield np.zeros_like(wide)
    yield np.full_like(wide, np.inf)
    yield np.where(draw.random(wide.shape) < 0.1, 0, wide)
    yield np.repeat(wide[:1], n_q, axis=0)
    yield np.abs(wide)
    yield wide * np.linspace(1, 1.5, n_q, dtype=np.float32)[:, None]
    yield wide.round(1)


@pytest.mark.parametrize("name", FORMATS)
def test_a_fault_that_is_not_listed_gets_no_name(name):
    recipe = RECIPES[name]
    right = problem(CALLS["all"], FORMATS[name])
    output, _ = answer(right, recipe)
    count = 0
    for wrong in faults_off_the_list(output):
        count += 1
        assert judge_head(right, recipe, output=wrong).verdict == "does not hold"
        assert that_hold(iter(listed(right, 0)), recipe, wrong, None) == []
    assert count == 20
