"""A scale of one's own: the same arithmetic, the same bound, on emulator, reference and device."""

import numpy as np
import pytest
from fusedfacts.attention import error_bound, problem
from fusedfacts.attention.arithmetic import Arithmetic, fused_order, unfused_order
from fusedfacts.attention.compare import compare
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.reference import blocks
from fusedfacts.attention.upper import Sizes
from fusedfacts.device import run as device_run
from fusedfacts.emulator import execute
from fusedfacts.emulator.methods import METHODS
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest as kernels
from hypothesis import given, settings
from hypothesis import strategies as st
from support.common import bits, tensors

WRONG = [0.0, -0.0, -1.0, 2.0**-127, 2.0**128, float("inf"), float("-inf"), float("nan")]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_scale_that_float32_does_not_hold_to_full_precision_is_refused_everywhere(wrong):
    q, k, v = tensors(3, 16)
    for use in (
        lambda: problem.check_scale(wrong),
        lambda: execute.fused(q, k, v, scale=wrong),
        lambda: execute.unfused(q, k, v, scale=wrong),
        lambda: attention_bounds(q, k, v, [], scale=wrong),
    ):
        with pytest.raises(FactsError, match=r"^scale: found .*, expected a number from "):
            use()
    for right in (problem.SCALE_LEAST, problem.SCALE_MOST):
        problem.check_scale(right)
        assert np.isfinite(np.float32(right))


def test_a_power_of_two_on_scores_is_the_same_power_on_queries():
    """Exact in float32 and in float64, so all bits must agree, those of the bound as well."""
    q, k, v = tensors(50, 16)
    scaled, plain = (
        attention_bounds(x, k, v, [fused_order(16)], scale=s)
        for x, s in ((q, 2.0), (q * np.float32(8), 0.25))
    )
    assert np.array_equal(scaled.exact, plain.exact)
    assert np.array_equal(scaled.bounds[0], plain.bounds[0])
    assert np.array_equal(
        bits(execute.fused(q, k, v, scale=2.0).output),
        bits(execute.fused(q * 8, k, v, scale=0.25).output),
    )


@settings(deadline=None, max_examples=40)
@given(
    st.floats(2.0**-20, 2.0**4),
    st.integers(1, 40),
    st.sampled_from([16, 32, 128]),
    st.booleans(),
    st.integers(0, 99),
)
def test_right_answers_hold_at_any_scale(factor, n, d, causal, seed):
    q, k, v = tensors(n, d, seed)
    options = {"causal": causal, "scale": factor}
    found = attention_bounds(q, k, v, [fused_order(d), unfused_order(d)], **options)
    for way, limit in zip((execute.fused, execute.unfused), found.bounds, strict=True):
        assert compare(way(q, k, v, **options).output, found.exact, limit).passed


def test_a_scale_that_is_no_power_of_two_costs_two_roundings_more():
    q, k, v = tensors(9, 16)
    (block,) = blocks(q, k, v)
    errors = {
        s: error_bound.score_error(
            problem.Problem(9, 16, scale=s), Sizes.of(q, k, v), block, Arithmetic(underflow=0.0)
        )
        / s
        for s in (0.5, 0.75)
    }
    u = 2.0**-24
    ratio = (18 / (1 - 18 * u)) / (16 / (1 - 16 * u))
    np.testing.assert_allclose(errors[0.75] / errors[0.5], ratio, rtol=1e-12)


def test_scores_by_blocks_are_those_of_the_table():
    q, k, v = tensors(200, 32)
    for causal in (False, True):
        table = execute.unfused(q, k, v, causal=causal, scale=0.3, keep_tables=True).tables["s"]
        blocks = list(execute.score_blocks(q, k, causal=causal, scale=0.3))
        assert [first for first, _ in blocks] == [0, 64, 128, 192]
        found = np.concatenate([scores for _, scores in blocks])
        assert np.array_equal(np.where(np.isnan(table), np.float32(-np.inf), table), found)


def test_wgsl_gets_the_scale_rounded_to_float32():
    assert "const SCALE: f32 = 0x1.333334p-2f; " in kernels.prelude("fused", 16, scale=0.3)
    for d, held in kernels.manifest()["scale"].items():
        assert kernels.literal(problem.default_scale(int(d))) == held


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
@pytest.mark.parametrize("factor", [0.3, 2.0])
def test_a_device_uses_the_scale_to_the_last_bit(measured, method, factor):
    q, k, v = tensors(70, 32)
    found = device_run.attention(measured.device, method.name, q, k, v, scale=factor)
    if measured.bits:
        given = problem.Problem.of(q, scale=factor)
        wanted = method.emulate(given, q, k, v, exponential=measured.exp)
        assert np.array_equal(bits(found.output), bits(wanted.output))
    found_bounds = attention_bounds(
        q, k, v, [method.order(32)], scale=factor, arithmetic=measured.arithmetic
    )
    assert compare(found.output, found_bounds.exact, found_bounds.bounds[0]).passed
