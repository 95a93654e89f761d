"""What may have been done instead: planted, each is named; what is not listed gets no name."""

from dataclasses import replace

import numpy as np
import pytest
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.detection import undetected
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.hypotheses import hypotheses, named, that_hold
from fusedfacts.judging.recipe import RECIPES
from fusedfacts.judging.rescale import Forgotten
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


ALL, SQUARE, WINDOW, CAPPED = (CALLS[kind] for kind in ("all", "causal", "window", "softcap"))
SCALE, LN2 = 24**-0.5, np.log(2)
KEYS = np.arange(70)
AT = np.arange(40)[:, None] + 30  # where the queries of WINDOW stand
# Of a right call: which keys were seen instead, by which scale, and the mistake's name.
MADE = [
    (ALL, True, 1.0, "the scale is 1"),
    (ALL, True, 1 / 24, "the scale is 1 / d"),
    (ALL, True, 25**-0.5, "the scale is 1 / sqrt(d + 1)"),
    (ALL, True, SCALE * LN2, "powers of 2 stand for those of e: log2 e is forgotten"),
    (ALL, True, SCALE / LN2, "log2 e is multiplied twice"),
    (ALL, True, SCALE * 1.002, "the scale is 0.2 % too large"),
    (ALL, True, SCALE * 0.998, "the scale is 0.2 % too small"),
    (replace(ALL, scale=0.5), True, SCALE, "the scale is 1 / sqrt(d)"),
    (ALL, KEYS <= AT - 30, SCALE, "a causal mask, top-left, is there"),
    (ALL, KEYS <= AT, SCALE, "a causal mask, bottom-right, is there"),
    (ALL, KEYS < 64, SCALE, "the last, ragged tile of 16, 32 or 64 keys is skipped"),
    (SQUARE, True, SCALE, "the causal mask is left out"),
    (SQUARE, np.tri(50, k=1), SCALE, "positions are one too far"),
    (SQUARE, np.tri(50, k=-1), SCALE, "positions are one too near"),
    (WINDOW, KEYS <= AT, SCALE, "the window is left out"),
    (WINDOW, (KEYS <= AT) & (KEYS >= AT - 10), SCALE, "the window is one key too wide"),
    (WINDOW, (KEYS <= AT) & (KEYS >= AT - 8), SCALE, "the window is one key too narrow"),
    (WINDOW, (KEYS <= AT - 30) & (KEYS >= AT - 39), SCALE, "positions are aligned top-left"),
]


def names_of(right, output, lse=None):
    return [name for name, _ in that_hold(listed(right, 0), RECIPES["fp32"], output, lse)]


@pytest.mark.parametrize(("pattern", "seen", "scale", "name"), MADE, ids=[x[-1] for x in MADE])
def test_a_mistake_that_is_made_by_hand_has_its_name_and_no_other(pattern, seen, scale, name):
    right = problem(pattern, "float32")
    wrong = replace(pattern, causal=False, window=None, scale=scale)
    mask = np.broadcast_to(np.asarray(seen, bool), (pattern.n_q, pattern.n_k))
    output, _ = computed(right.q, right.k, right.v, RECIPES["fp32"], wrong, mask=mask)
    assert names_of(right, output) == [name]


@pytest.mark.parametrize(("rows", "sizes"), [(10, "16"), (26, "32"), (58, "64 or 128")])
def test_keys_of_zeros_that_are_counted_are_named_by_their_tile(rows, sizes):
    right = problem(ALL, "float32")
    k, v = (np.vstack([x, np.zeros((rows, 24), np.float32)]) for x in (right.k, right.v))
    output, _ = computed(right.q, k, v, RECIPES["fp32"], replace(ALL, n_k=70 + rows))
    name = f"the padding of the last tile of {sizes} keys is counted in the total"
    assert names_of(right, output) == [name]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("total", "output", "what"),
    [
        (True, True, "neither the total nor the output is"),
        (True, False, "the total alone is not"),
        (False, True, "the output alone is not"),
    ],
)
def test_what_is_not_scaled_is_named_with_the_tiles_and_their_order(total, output, what, backwards):
    right = problem(ALL, "float32")
    found, _ = computed(
        *(right.q, right.k, right.v, RECIPES["fp32"], ALL),
        forgotten=Forgotten(total, output, 32, backwards),
    )
    way = ", tiles met from the last to the first" if backwards else ""
    name = f"{what} scaled when a larger score comes{way}, in tiles of 32 keys"
    assert names_of(right, found) == [name]


def test_what_is_made_after_the_scores_has_its_name():
    right = problem(ALL, "float32")
    output, lse = answer(right, RECIPES["fp32"])
    scores = right.q.astype(np.float64) @ right.k.T * SCALE
    total = np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    undivided = (output * total).astype(np.float32)
    assert names_of(right, undivided) == ["the answer is not divided by its total"]
    assert names_of(right, output, lse / np.float32(LN2)) == ["the lse is to base 2"]
    _, k, v = tensors(1, 70, 24, np.float32, 50, size=1.5)
    others, _ = computed(right.q, k, v, RECIPES["fp32"], ALL)
    name = "heads of k and v taken as h % kv_heads, where h // group is meant"
    assert names_of(right, others) == [name]
    capped = replace(right, pattern=CAPPED)
    assert names_of(capped, output) == ["the soft cap is left out"]


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
