"""Other people's kernels, as they answered when they were recorded, held to their bounds."""

import math

import numpy as np
import pytest
from fusedfacts.experiments.recorded import FOLDER, recorded

CALLS = {call.name: call for call in recorded()}
MEGABYTES_MOST = 2


def holds(heads):
    return {head.verdict for head in heads} == {"holds"}


def exceeds(heads):
    """Which tensors have elements beyond their bounds, in every head."""
    return {
        what
        for what in ("output", "lse")
        if all((held := getattr(head, what)) and held.exceeding for head in heads)
    }


@pytest.mark.parametrize("name", CALLS)
def test_a_right_kernel_holds_by_the_recipe_that_says_what_it_does(name):
    """And where another recipe than that of its formats does, it is needed."""
    formats, *others = CALLS[name].sought
    assert all(holds(CALLS[name].judged(recipe)) for recipe in others)
    assert holds(CALLS[name].judged(formats)) == (not others)


@pytest.mark.parametrize(
    "name", ["onnxruntime-Attention-23-fp16", "mlx-fast-fp16", "mlx-fast-bf16"]
)
def test_who_stores_scores_in_half_precision_needs_the_recipe_that_says_so(name):
    call = CALLS[name]
    without, stored, *_ = call.sought
    assert (stored.scores, without.scores) == (stored.output, "float32")
    assert exceeds(call.judged(without)) == {"output"}
    assert holds(call.judged(stored))


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.other_alignment])
def test_how_positions_are_aligned_is_told_apart(name):
    """ONNX's `is_causal` puts query 0 at key 0, onnxruntime's past puts the last at the last."""
    call = CALLS[name]
    assert holds(call.judged(call.sought[-1]))
    wrong = call.judged(call.sought[-1], causal=call.other_alignment)
    assert exceeds(wrong) == {"output"}
    assert min(head.output.largest_ratio for head in wrong) > 100


def test_a_window_counts_the_query_s_own_key():
    """Of onnxruntime's local window of 16 one key is the query's own."""
    for precision in ("fp32", "fp16"):
        call = CALLS[f"onnxruntime-GroupQueryAttention-window-{precision}"]
        assert call.options["window"] == (15, 0)
        for window in ((16, 0), (14, 0), (-1, 0)):
            assert exceeds(call.judged(call.sought[0], window=window)) == {"output"}


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_torch_s_half_lse_tells_of_an_exponential_that_is_not_float32_s(precision):
    call = CALLS[f"torch-flash-{precision}"]
    as_float32, declared = call.sought
    assert exceeds(call.judged(as_float32)) == {"lse"}
    assert holds(call.judged(declared))
    assert -13.2 < math.log2(declared.exponential) < -13.1
    assert (declared.exponential_of_zero_is_one, declared.key_rows) == (False, 512)
    # The first query sees one key: its lse is its score and the logarithm of exp(0).
    q, k, lse = (call.tensors[name].astype(np.float64) for name in ("q", "k", "lse"))
    score = (q[:, 0] * k[:, 0]).sum(axis=-1) / np.sqrt(q.shape[-1])
    assert np.allclose(np.expm1(lse[:, 0] - score), -5.35e-5, atol=1e-6)


def test_what_is_recorded_stays_small():
    assert (
        sum(file.stat().st_size for file in (FOLDER / "calls").iterdir()) < MEGABYTES_MOST * 10**6
    )
    assert {call.library for call in CALLS.values()} >= {"torch", "onnxruntime", "jax", "mlx"}
