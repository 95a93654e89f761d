"""`fusedfacts check` of an answer: of any precision, shape, mask and layout, by its recipe."""

from pathlib import Path

import numpy as np
import pytest
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.recipe import RECIPES
from fusedfacts.numerics import rng
from safetensors.numpy import load_file, save_file
from support.asked import answered, document, refused
from support.hostile_files import saved
from support.right_kernels import DTYPES, computed

pytestmark = pytest.mark.usefixtures("folder")


def save(name, **tensors):
    Path(f"{name}.safetensors").write_bytes(saved(tensors))


def normal(seed, *shape):
    return rng.normal(seed, 1, shape)


def call(pattern, recipe="fp32", *, batch=2, heads=4, kv_heads=2, d_v=None, **extras):
    """Right tensors of (batch, heads, n, d), lse (batch, heads, n)."""
    stored = DTYPES[RECIPES[recipe].output]
    sizes = (heads, pattern.n_q, pattern.d), (kv_heads, pattern.n_k, pattern.d)
    sizes += ((kv_heads, pattern.n_k, d_v or pattern.d),)
    q, k, v = (normal(i, batch, *size).astype(stored) for i, size in enumerate(sizes))
    found = [
        computed(q[b, h], k[b, g], v[b, g], RECIPES[recipe], pattern, **extras)
        for b in range(batch)
        for h in range(heads)
        for g in [h * kv_heads // heads]
    ]
    o, lse = (np.stack(x).reshape(batch, heads, *x[0].shape) for x in zip(*found, strict=True))
    return {"q": q, "k": k, "v": v, "o": o, "lse": lse.astype(np.float32)}


@pytest.mark.parametrize("recipe", ["fp32", "fp16", "bf16"])
def test_a_kernel_is_judged_by_the_formats_of_its_tensors(capsys, recipe):
    tensors = call(Pattern(30, 30, 64), recipe)
    save("mine", **tensors)
    found = document(capsys, "mine.safetensors", "--layout", "bhnd")
    assert (found["verdict"], found["recipe"]["name"]) == ("holds", recipe)
    assert found["recipe"]["words"].startswith("sums in float32, ")
    assert [(head["batch"], head["head"]) for head in found["heads"]] == [
        (i // 4, i) for i in range(8)
    ]
    ratios = [head["output"]["largest_ratio"] for head in found["heads"]]
    assert 0 < max(ratios) < 1
    _, said, _ = answered(capsys, "mine.safetensors", "--layout", "bhnd")
    assert "4 heads (of k and v 2) of each of 2 entries, counted through, n 30, d 64" in said
    words = " ".join(said.split())
    assert f"by the bound of recipe {recipe}: sums in float32" in words
    if recipe != "fp32":
        strict = document(capsys, "mine.safetensors", "--layout", "bhnd", "--recipe", "fp32")
        assert strict["verdict"] == "does not hold"


def test_float64_is_judged_as_float64(capsys):
    q, k, v = (normal(i, 40, 24).astype(np.float64) for i in range(3))
    p = np.exp(q @ k.T / np.sqrt(24))
    right = p @ v / p.sum(axis=1, keepdims=True)
    save("right", q=q, k=k, v=v, o=right)
    found = document(capsys, "right.safetensors")
    assert (found["verdict"], found["recipe"]["name"], found["kernel"]) == ("holds", "fp64", None)
    save("none", q=q[:, :16], k=k[:, :16], v=v[:, :16])
    assert "neither o nor lse, and float64, which our own" in refused(capsys, "none.safetensors")
    save("wrong", q=q, k=k, v=v, o=right * (1 + 1e-11))
    found = document(capsys, "wrong.safetensors")
    first = found["heads"][0]["output"]["first_exceeding"]
    assert first["expected"] == pytest.approx(right[0, 0], rel=1e-14)
    assert f"found {first['found']:.15g}, expected" in answered(capsys, "wrong.safetensors")[1]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (Pattern(1, 50, 80), []),
        (Pattern(20, 50, 7, causal=True, align="bottom-right"), ["--causal", "bottom-right"]),
        (Pattern(20, 50, 24, causal=True), ["--causal=top-left"]),
        (Pattern(30, 30, 64, causal=True, window=(5, 0)), ["--window", "5", "--causal"]),
        (
            Pattern(20, 50, 16, window=(5, 2), align="bottom-right"),
            ["--window", "5,2", "--align", "bottom-right"],
        ),
        (Pattern(30, 30, 16, window=(-1, 3)), ["--window", "-1,3"]),
        (Pattern(30, 30, 16, softcap=2.0, scale=0.7), ["--softcap", "2", "--scale", "0.7"]),
    ],
)
def test_any_shape_and_pattern_in_any_layout(capsys, pattern, words):
    tensors = call(pattern, d_v=33)
    save("mine", **tensors)
    found = document(capsys, "mine.safetensors", "--layout", "bhnd", *words)
    assert (found["verdict"], found["sizes"]["d_v"], found["kernel"]) == ("holds", 33, None)
    assert all(head["kernel"] is None for head in found["heads"])
    turned = {name: x if name == "lse" else x.swapaxes(1, 2) for name, x in tensors.items()}
    save("turned", **turned)
    other = document(capsys, "turned.safetensors", "--layout", "bnhd", *words)
    assert other["heads"] == found["heads"]
    # Without the options it is another attention.
    if words and "--softcap" not in words and pattern.n_q == pattern.n_k:
        assert document(capsys, "mine.safetensors", "--layout", "bhnd")["verdict"] != "holds"


def test_what_is_seen_is_said_in_words(capsys):
    save("mine", **call(Pattern(20, 50, 16, window=(5, 1), align="bottom-right"), d_v=33))
    options = ["--window", "5,1", "--align", "bottom-right", "--softcap", "9", "--layout", "bhnd"]
    said = " ".join(answered(capsys, "mine.safetensors", *options)[1].split())
    assert "n 20 of q and 50 of k and v, d 16, of v 33; read as bhnd" in said
    assert (
        "scale 0.25, a window of 5 keys before a query's position and 1 key after, positions"
        " aligned bottom-right, scores capped at 9.0"
    ) in said


def test_masks_biases_and_sinks_of_the_file(capsys):
    pattern = Pattern(20, 33, 48)
    extras = {"mask": normal(5, 20, 33) > -1, "bias": normal(6, 20, 33), "sink": 1.5}
    tensors = call(pattern, batch=1, **extras)
    extras["sink"] = np.full(4, 1.5, np.float32)
    save("mine", **tensors, **extras)
    found = document(capsys, "mine.safetensors", "--layout", "bhnd")
    assert found["verdict"] == "holds"
    assert found["stored"]["mask"] == "bool"
    said = answered(capsys, "mine.safetensors", "--layout", "bhnd")[1]
    assert "with mask and bias and sink of the file" in " ".join(said.split())
    for name, short in (("mask", "a mask"), ("bias", "a bias"), ("sink", "a sink")):
        left = {other: x for other, x in extras.items() if other != name}
        save("less", **tensors, **left)
        code, said, _ = answered(capsys, "less.safetensors", "--layout", "bhnd")
        assert code == 1, short


def test_a_mistake_is_named_and_an_lse_judged(capsys):
    tensors = call(Pattern(30, 30, 16, scale=1 / 16))
    save("mine", **tensors)
    found = document(capsys, "mine.safetensors", "--layout", "bhnd")
    assert found["verdict"] == "does not hold"
    names = {entry["name"] for head in found["heads"] for entry in head["explained"]}
    assert names == {"the scale is 1 / d"}
    said = answered(capsys, "mine.safetensors", "--layout", "bhnd")[1]
    assert "it holds if the scale is 1 / d: the largest error is 0." in said
    assert "head 3: 30 of 30 elements of lse exceed their bounds, the first at row 0: found" in said
    right = call(Pattern(30, 30, 16))
    right["lse"][1, 2, 3] += np.float32(1e-4)
    save("lse", **{name: x for name, x in right.items() if name != "o"})
    found = document(capsys, "lse.safetensors", "--layout", "bhnd")
    wrong = [head for head in found["heads"] if head["verdict"] == "does not hold"]
    assert [head["head"] for head in wrong] == [6]
    assert wrong[0]["output"] is None
    assert wrong[0]["lse"]["first_exceeding"]["row"] == 3


def test_an_lse_to_base_2_is_refused_and_said_so(capsys):
    tensors = call(Pattern(30, 30, 16))
    save("mine", **tensors | {"lse": tensors["lse"] / np.float32(np.log(2))})
    said = refused(capsys, "mine.safetensors", "--layout", "bhnd")
    assert "mine.safetensors: lse: found logarithms to base 2, as which they hold" in said


def test_rows_that_see_nothing_are_told_and_not_judged(capsys):
    pattern = Pattern(20, 12, 16, causal=True, align="bottom-right")
    tensors = call(pattern, batch=1)
    tensors["o"][:, :, :8] = np.nan
    save("mine", **tensors)
    options = ["--layout", "bhnd", "--causal", "bottom-right"]
    found = document(capsys, "mine.safetensors", *options)
    assert found["verdict"] == "holds"
    assert [(head["blind_rows"], head["blind"]) for head in found["heads"]] == [(8, ["NaN"])] * 4
    assert found["heads"][0]["output"]["elements"] == 12 * 16
    said = answered(capsys, "mine.safetensors", *options)[1]
    assert "32 rows see no key and are not judged; found there: NaN" in said


def test_our_kernels_count_what_they_serve_of_a_judged_file_too(capsys):
    found = document(capsys, "right.safetensors")
    ours = document(capsys, "mine.safetensors")
    assert found["kernel"] == ours["kernel"]
    of_given, of_ours = (x["heads"][0]["kernel"] for x in (found, ours))
    assert of_given["float32"]["elements_overflowing"] is None
    assert {k: x for k, x in of_given.items() if k != "float32"} == {
        k: x for k, x in of_ours.items() if k != "float32"
    }


def test_scores_that_overflow_float32_do_not_spoil_somebody_s_right_answer(capsys):
    q, k = np.full((6, 16), 1e25, np.float32), np.full((6, 16), 1e-30, np.float32)
    k[0] = 1e15
    v = normal(3, 6, 16)
    save("mine", q=q, k=k, v=v, o=np.repeat(v[:1], 6, 0))
    (head,) = document(capsys, "mine.safetensors")["heads"]
    assert head["kernel"]["float32"]["scores_overflowing"] == 6
    assert head["verdict"] == ("holds" if head["certified"] else "not certified")


def test_a_recipe_of_one_s_own(capsys):
    Path("mine.toml").write_text('base = "fp16"\nscores = "float16"\nkey_rows = 32\n')
    tensors = call(Pattern(30, 30, 64), "fp16-scores", batch=1)
    save("mine", **tensors)
    found = document(capsys, "mine.safetensors", "--layout", "bhnd", "--recipe", "mine.toml")
    assert (found["verdict"], found["recipe"]["name"]) == ("holds", "mine.toml")
    assert "scores stored in float16" in found["recipe"]["words"]
    assert "tiles of 32 keys" in found["recipe"]["words"]


def test_a_picture_of_the_worst_head(capsys):
    tensors = call(Pattern(40, 40, 16))
    tensors["o"][0, 2, 10:20] += 1
    save("mine", **tensors)
    code, said, _ = answered(capsys, "mine.safetensors", "--layout", "bhnd", "--picture", "map.svg")
    assert code == 1
    assert "o exceeds its bound in rows 10 to 19, in every column" in said
    assert "<desc>Head 2: does not hold, if fp32." in Path("map.svg").read_text(encoding="utf-8")
    many = refused(capsys, "a", "b", "--picture", "map.svg")
    assert "--picture: found 2 files to check, expected one" in many
    same = refused(capsys, "mine.safetensors", "--layout", "bhnd", "--picture", "mine.safetensors")
    assert "found the input itself" in same
    del tensors["o"], tensors["lse"]
    save("mine", **tensors)
    assert "found --picture and neither o nor lse" in refused(
        capsys, "mine.safetensors", "--layout", "bhnd", "--picture", "map.svg"
    )


def test_other_names(capsys):
    right = load_file("right.safetensors")
    save_file({"query": right["q"], "k": right["k"], "v": right["v"], "out": right["o"]}, "names")
    found = document(capsys, "names", "--names", "q=query,o=out")
    assert found["verdict"] == "holds"
    assert list(found["stored"]) == ["k", "o", "q", "v"]


def test_what_tensors_cannot_show_is_a_verdict_of_its_own_and_named_when_asked(capsys):
    tensors = call(Pattern(40, 40, 16))
    save("mine", **tensors)
    told = document(capsys, "mine.safetensors", "--layout", "bhnd", "--recipe", "bf16", "--hidden")
    assert all("the scale is 0.2 % too large" in head["hidden"] for head in told["heads"])
    plain = document(capsys, "mine.safetensors", "--layout", "bhnd", "--recipe", "bf16")
    assert [head["hidden"] for head in plain["heads"]] == [None] * 8
    ones = {name: np.ones_like(tensors[name]) for name in "qkvo"}
    save("ones", **ones)
    found = document(capsys, "ones.safetensors", "--layout", "bhnd")
    assert (found["verdict"], found["unshown"]) == ("cannot show", ["rescale", "scores"])
    code, said, _ = answered(capsys, "ones.safetensors", "--layout", "bhnd")
    assert code == 1
    assert said.splitlines()[-1].startswith("cannot show: all 5,120 elements lie within")
    assert "it would hold just as well with another scale" in said
