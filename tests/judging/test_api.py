"""`judge` and `assert_attention`, as a kernel's author calls them."""

import inspect

import ml_dtypes
import numpy as np
import pytest
from fusedfacts import assert_attention, judge
from fusedfacts.errors import FactsError
from fusedfacts.judging.api import Options
from fusedfacts.judging.recipe import RECIPES, Recipe

RNG = np.random.default_rng(7)


def attention(q, k, v, rounded=lambda p: p, seen=None, scale=None):
    """Heads by n by d in float32, weights rounded; lse beside it."""
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    k, v = (np.repeat(x, len(q) // len(x), axis=0) for x in (k, v))
    s = q @ k.swapaxes(1, 2) * np.float32(scale or q.shape[-1] ** -0.5)
    s = s if seen is None else np.where(seen, s, np.float32(-np.inf))
    m = s.max(axis=-1, keepdims=True)
    p = np.exp(s - m)
    total = p.sum(axis=-1, keepdims=True)
    return rounded(p) @ v / total, (m + np.log(total))[..., 0]


def normal(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def bf16(x):
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def test_a_bfloat16_kernel_holds_as_bf16_and_not_as_fp32():
    q, k, v = (normal(h, 70, 48, dtype=ml_dtypes.bfloat16) for h in (4, 2, 2))
    output, lse = attention(q, k, v, bf16)
    output = output.astype(ml_dtypes.bfloat16)
    found = judge(q, k, v, output, lse, layout="hnd")
    assert (found.verdict, found.recipe.name, len(found.heads)) == ("holds", "bf16", 4)
    assert 0.1 < found.ratio() < 1
    strict = judge(q, k, v, output, layout="hnd", recipe="fp32")
    assert strict.verdict == "does not hold"
    assert "sums in float32" in str(strict)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_the_recipe_is_that_of_the_formats(dtype):
    q, k, v = (normal(9, 16, dtype=dtype) for _ in "qkv")
    found = judge(q, k, v, np.zeros((9, 16), dtype))
    assert found.recipe.output == np.dtype(dtype).name
    assert found.verdict == "does not hold"


def test_of_inputs_in_several_formats_the_finer_may_be_rounded_to_the_coarsest():
    q, k, v = normal(9, 16, dtype=np.float16), normal(30, 16), normal(30, 16)
    output, _ = attention(*(x.astype(np.float16)[None] for x in (q, k, v)))
    found = judge(q, k, v, output[0])
    assert (found.verdict, found.recipe.name) == ("holds", "fp16")
    assert not judge(q, k.astype(np.float16), v.astype(np.float16), output[0] * 1.01).holds


def test_any_layout_names_the_same_attention():
    q, k, v = normal(2, 4, 20, 24), normal(2, 2, 30, 24), normal(2, 2, 30, 8)
    answers = [attention(*of) for of in zip(q, k, v, strict=True)]
    output, lse = (np.stack(x) for x in zip(*answers, strict=True))
    judge(q, k, v, output, lse, layout="bhnd")
    straight = judge(q, k, v, output, lse, layout="bhnd")
    turned = (x.swapaxes(1, 2) for x in (q, k, v, output))
    other = judge(*turned, lse, layout="bnhd")
    assert straight.holds
    assert str(straight) == str(other)
    assert judge(q[:, 0], k[:, 0], v[:, 0], output[:, 0], layout="hnd").holds  # MHA of a batch


def test_float64_answers_are_held_to_float64():
    q, k, v = (normal(40, 24, dtype=np.float64) for _ in "qkv")
    p = np.exp(q @ k.T / np.sqrt(24))
    right = p @ v / p.sum(axis=1, keepdims=True)
    assert judge(q, k, v, right).holds
    assert not judge(q, k, v, right * (1 + 1e-11)).holds
    assert judge(q, k, v, right.astype(np.float32)).holds


def test_a_weight_that_float32_has_not_counts_in_float64():
    q, k = np.ones((1, 1)), np.array([[0.0], [-200.0]])
    v = np.array([[1.0], [1e90]])
    right = (v[:1] + np.exp(-200.0) * v[1:]) / (1 + np.exp(-200.0))
    assert right > 1000
    assert judge(q, k, v, right * (1 + 1e-14), scale=1.0).holds
    assert not judge(q, k, v, right * (1 + 1e-12), scale=1.0).holds


def test_alignment_is_asked_for_where_it_matters():
    q, k, v = normal(1, 6, 16), normal(1, 9, 16), normal(1, 9, 16)
    keys, rows = np.arange(9), np.arange(6)[:, None]
    for align, seen in (("top-left", keys <= rows), ("bottom-right", keys <= rows + 3)):
        output, lse = attention(q, k, v, seen=seen)
        for other in ("top-left", "bottom-right"):
            found = judge(q, k, v, output, lse, layout="hnd", causal=other)
            assert found.holds == (other == align)
        with pytest.raises(FactsError, match="and no alignment, expected top-left"):
            judge(q, k, v, output, layout="hnd", causal=True)
        with pytest.raises(FactsError, match="and no alignment"):
            judge(q, k, v, output, layout="hnd", window=(2, 0))
    with pytest.raises(FactsError, match="causal: found 'left'"):
        judge(q, k, v, output, layout="hnd", causal="left")


def test_an_assertion_takes_the_options_of_a_judgement():
    options = inspect.signature(judge).parameters.values()
    named = {x.name: x.annotation for x in options if x.kind is x.KEYWORD_ONLY}
    assert named == {name: x.__forward_arg__ for name, x in Options.__annotations__.items()}


def test_a_failure_reads_well():
    q, k, v = (normal(5, 16) for _ in "qkv")
    output = attention(q[None], k[None], v[None])[0][0]
    assert_attention(q, k, v, output)
    output[3, 7] += 1
    with pytest.raises(AssertionError) as caught:
        assert_attention(q, k, v, output)
    assert caught.traceback[-1].ishidden(caught)  # what is shown is the test's own line
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("does not hold, if fp32: sums in float32, an exponential that errs")
    assert lines[1].startswith("o: 1 of 80 elements exceed their bounds, the largest error is ")
    assert lines[2].startswith("  first of head 0: row 3, column 7: found ")


def test_the_lse_alone_is_judged_and_sees_what_the_answer_does_not():
    q, k, v = (normal(1, 30, 16) for _ in "qkv")
    _, lse = attention(q, k, v)
    assert judge(q, k, v, lse=lse, layout="hnd").holds
    shifted = judge(q, k, v, lse=lse + np.float32(1e-5), layout="hnd")
    assert shifted.verdict == "does not hold"
    assert "lse: " in str(shifted)


def test_an_lse_to_base_2_is_no_verdict_and_said_so():
    q, k, v = (normal(2, 30, 16) for _ in "qkv")
    output, lse = attention(q, k, v)
    for answer in (output, None):
        with pytest.raises(FactsError, match="lse: found logarithms to base 2, as which they hold"):
            judge(q, k, v, answer, lse / np.float32(np.log(2)), layout="hnd")
    # An answer that is wrong as well is no question of the base, nor is one head of two.
    lse[0] /= np.float32(np.log(2))
    assert judge(q, k, v, output, lse, layout="hnd").verdict == "does not hold"
    _, lse = attention(q, k, v)
    assert judge(q, k, v, output * 2, lse / np.float32(np.log(2)), layout="hnd").verdict == (
        "does not hold"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"o": None}, "o: found neither an answer nor its lse"),
        ({"mask": np.ones((5, 5), int)}, "mask: found numbers of type int64, expected bool"),
        ({"q": np.full((5, 16), np.nan, np.float32)}, r"q: found NaN at \[0, 0\]"),
        ({"v": np.full((5, 16), np.inf, np.float32)}, r"v: found infinity at \[0, 0\]"),
        ({"q": np.full((5, 16), 1e200)}, r"q: found 1e\+200 at \[0, 0\], .*at most 2\.04e\+90"),
        ({"bias": np.full((5, 5), np.inf)}, r"bias: found infinity at \[0, 0\]"),
        ({"sink": np.float32(np.nan)}, r"sink: found NaN at \[\]"),
        ({"o": np.zeros((5, 16), np.int8)}, "o: found numbers of type int8"),
        ({"q": object()}, "q: found object, which is no array"),
        ({"k": None}, "k: found NoneType, which is no array"),
        ({"v": np.ma.masked_array(np.ones((5, 16)))}, "v: found a masked array, whose mask"),
        ({"recipe": "fp8"}, "recipe: found 'fp8', expected one of fp64, fp32"),
        ({"scale": 0.0}, "scale: found 0.0"),
        ({"softcap": -1.0}, "softcap: found -1.0"),
        ({"window": (-2, 0)}, r"window: found \(-2, 0\)"),
        ({"window": 5}, "window: found 5, expected two whole numbers"),
        ({"window": (5, 2, 1)}, r"window: found \(5, 2, 1\), expected two"),
        ({"window": (5.5, 0)}, r"window: found \(5\.5, 0\), expected two"),
        ({"window": (5, 2), "causal": True}, "window: found 2 keys after a query's position with"),
        ({"causal": "top-left", "align": "bottom-right"}, "align: found bottom-right with causal"),
        ({"align": "top-left"}, "align: found top-left without window or causal"),
        ({"causal": True, "align": "left"}, "causal: found 'left'"),
        ({"scale": "small"}, "scale: found 'small', expected a number"),
        ({"recipe": 8}, "recipe: found '8', expected one of fp64"),
        ({"layout": "bhnd"}, "layout: found bhnd"),
        ({"mask": np.zeros((5, 5), bool)}, "mask: found no query that sees a key"),
        ({"bias": np.full((5, 5), -np.inf)}, "mask: found no query that sees a key"),
    ],
)
def test_bad_input_is_one_sentence(change, said):
    x = normal(5, 16)
    with pytest.raises(FactsError, match=said) as caught:
        judge(**{"q": x, "k": x, "v": x, "o": x, **change})
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_recipe_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "fp16"\nscores = "float16"\nkey_rows = 64\nsplits = 2\n')
    x = normal(5, 16, dtype=np.float16)
    found = judge(x, x, x, x, recipe=str(path))
    assert found.recipe == Recipe(
        "mine.toml", "float32", "float16", "float16", "float16", "float16", key_rows=64, splits=2
    )
    assert "scores stored in float16" in found.recipe.words()
    assert found.recipe.words().endswith("tiles of 64 keys in 2 splits")
    for scales in ("exponential_of_zero_is_one = false", "splits = 2"):
        path.write_text(f'base = "fp16"\n{scales}\n')
        with pytest.raises(FactsError, match=r"mine\.toml: key_rows: found nothing"):
            judge(x, x, x, x, recipe=str(path))
    path.write_text('base = "fp12"\n')
    with pytest.raises(FactsError, match=r"mine\.toml: base found 'fp12', expected one of"):
        judge(x, x, x, x, recipe=str(path))
    for number in ("nan", "-inf", "1e999"):
        path.write_text(f'base = "fp32"\nexponential = {number}')
        with pytest.raises(FactsError, match=rf"mine\.toml: found {number}, expected TOML"):
            judge(x, x, x, x, recipe=str(path))
    path.write_text("base = ")
    with pytest.raises(FactsError, match="expected TOML"):
        judge(x, x, x, x, recipe=str(path))
    assert judge(x, x, x, x, recipe=RECIPES["bf16"]).recipe.name == "bf16"


def test_what_would_hold_whatever_is_forgotten_cannot_show_that_it_is_right():
    q, k, v = normal(2, 9, 16), normal(2, 40, 16), normal(2, 40, 16)
    output, lse = attention(q, k, v)
    assert judge(q, k, v, output, layout="hnd").verdict == "holds"
    # One head shows nothing of the scale and of rescales: the other does, by the same kernel.
    v[1], q[1] = 1, 0
    output, lse = attention(q, k, v)
    both = judge(q, k, v, output, layout="hnd", hidden=True)
    assert both.verdict == "holds"
    assert "the scale is 1" in both.hidden[1]
    assert "the scale is 1" not in both.hidden[0]
    assert "these tensors may let pass on 1 head: the scale is 1" in str(both)
    alone = judge(q[1], k[1], v[1], output[1], lse[1])
    assert (alone.verdict, alone.unshown, alone.holds) == (
        "cannot show",
        ["rescale", "scores"],
        False,
    )
    said = str(alone).splitlines()
    assert said[0].startswith("cannot show, if fp32")
    assert said[-2].startswith("it would hold just as well with a forgotten rescale: no row's")
    assert said[-1].startswith("it would hold just as well with another scale: no row weighs")
    with pytest.raises(AssertionError, match="cannot show"):
        assert_attention(q[1], k[1], v[1], output[1])
    # A wrong answer is wrong, whatever else it shows.
    assert judge(q[1], k[1], v[1], output[1] + 1).verdict == "does not hold"


def test_heads_of_k_and_v_that_are_taken_in_turn_are_named():
    q, k, v = normal(4, 9, 16), normal(2, 9, 16), normal(2, 9, 16)
    turned = np.tile(k, (2, 1, 1)), np.tile(v, (2, 1, 1))
    found = judge(q, k, v, attention(q, *turned)[0], layout="hnd")
    name = "heads of k and v taken as h % kv_heads, where h // group is meant"
    assert [[x for x, _ in head.explained] for head in found.heads] == [[], [name], [name], []]


def test_the_worst_head_decides_and_what_exceeds_its_bound_is_wrong_in_any_case():
    q, k, v = (normal(2, 9, 16) for _ in "qkv")
    q[1] *= 1e6  # whose scores leave any weight open
    output, _ = attention(q, k, v)
    assert [head.verdict for head in judge(q, k, v, output, layout="hnd").heads] == [
        "holds",
        "not certified",
    ]
    assert judge(q, k, v, output, layout="hnd").verdict == "not certified"
    for wrong in (0, 1):
        other = output.copy()
        other[wrong, 3, 5] += 9
        found = judge(q, k, v, other, layout="hnd")
        assert found.verdict == found.heads[wrong].verdict == "does not hold"
