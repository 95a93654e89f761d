"""The section `real`: what stops the build, and what is claimed."""

from dataclasses import replace

import pytest
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import real
from fusedfacts.experiments.recorded import recorded

CALLS = {real.key(call.name): call for call in recorded()}


def test_a_call_is_judged_by_each_recipe_that_its_kernel_needs():
    found = real.judged(CALLS["mlx_fast_fp16"])
    assert {name: each["holds"] for name, each in found["judged"].items()} == {
        "fp16": False,
        "fp16_scores": True,
        "mlx_fp16": True,
    }
    assert found["judged"]["fp16"]["output"] > 1 > found["judged"]["fp16_scores"]["output"]
    assert found["judged"]["fp16"]["lse"] is None
    assert (found["n_q"], found["n_k"], found["aligned_otherwise"]) == (48, 48, None)


@pytest.mark.parametrize(
    ("name", "recipes", "said"),
    [
        ("mlx_fast_fp16", [], "expected to hold by fp16, found"),
        ("mlx_fast_fp32", ["tf32"], "expected to hold by tf32 and not by fp32"),
        ("torch_flash_fp16", ["fp32"], "expected to hold by fp32 and not by fp16"),
    ],
)
def test_a_call_that_holds_where_it_should_not_or_the_other_way_round_stops_the_build(
    name, recipes, said
):
    wrong = replace(CALLS[name], recipes=recipes)
    with pytest.raises(ClaimError, match=said):
        real.judged(wrong)


def test_an_answer_that_was_edited_stops_the_build():
    call = CALLS["jax_dot_product_attention_fp32"]
    o = call.tensors["o"].copy()
    o[1, 7, 3] += 1e-3
    with pytest.raises(ClaimError, match="real: jax-dot_product_attention-fp32, expected to hold"):
        real.judged(replace(call, tensors={**call.tensors, "o": o}))


def test_claims_name_library_version_and_recipe():
    call = real.judged(CALLS["onnxruntime_attention_23_aligned_fp32"])
    section = {"calls": {"onnx": call}}
    found = {claim.id: claim.record for claim in real.claims(section)}
    assert set(found) == {"real.onnx.fp32.output", "real.onnx.fp32.holds"} | {
        "real.onnx.aligned_otherwise"
    }
    assert found["real.onnx.aligned_otherwise"]["value"] > 1e4
    assert found["real.onnx.fp32.holds"]["value"] is True
    for record in found.values():
        assert f"onnxruntime {call['version']}, Attention-23-aligned in fp32" in record["statement"]
