"""One head's check: what it says on every kind of input, and that it hides nothing."""

import numpy as np
import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.emulator.methods import FUSED, UNFUSED, Method, emulated
from fusedfacts.errors import ClaimError
from fusedfacts.numerics import rng
from fusedfacts.tensor_check.head import computed
from hypothesis import given, settings
from hypothesis import strategies as st
from support.common import tensors

MAX = float(np.finfo(np.float32).max)


def checked(q, k, v, method=FUSED, problem=None, **options):
    problem = problem or Problem.of(q)
    return computed(q, k, v, method, problem, emulated(method, problem), **options)[0]


def kinds(n, d, seed):
    """Inputs by kind; the scores' size is that of |q| |k| / sqrt(d)."""
    q, k, v = tensors(n, d, seed)
    ones = np.ones_like(q)
    equal = np.repeat(k[:1], n, 0)
    rank = np.arange(n, dtype=np.float32)[:, None] / n
    return {
        "normal": (q, k, v),
        "dyadic": tensors(n, d, seed, rng.dyadic),
        "equal scores": (q, equal, v),
        "all zero": (q * 0, k * 0, v * 0),
        "rising scores": (ones, ones * rank * 9, v),
        "scores near 1e4": (ones * 100, ones * (100 + rank), v),
        "scores near -1e4": (-ones * 100, ones * (100 + rank), v),
        "scores of 1e8": (q * np.float32(1e4), k * np.float32(1e4), v),
        "scores of 1e30": (q * np.float32(1e15), k * np.float32(1e15), v),
        "scores beyond float32": (q * np.float32(1e20), k * np.float32(1e20), v),
        "values at the limit": (q, k, np.full_like(v, MAX)),
        "values of both signs at the limit": (q, k, np.where(v > 0, np.float32(MAX), -MAX)),
        "everything at the limit": tuple(
            np.copysign(np.float32(MAX), x).astype(np.float32) for x in (q, k, v)
        ),
        "subnormal values": (q, k, v * np.float32(2.0**-140)),
        "subnormal everything": tuple(x * np.float32(2.0**-140) for x in (q, k, v)),
        "subnormal queries, large keys": (q * np.float32(2.0**-140), k * np.float32(2.0**120), v),
        "equal values of huge scores": (q * np.float32(1e15), k * np.float32(1e15), ones * 133_120),
        "nearly tied": (ones, ones * np.float32(2**20) + k, v),
        "a spike": (q, np.where(np.arange(n)[:, None] == n - 1, k * np.float32(50), k), v),
    }


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(kinds(1, 16, 0))),
    st.sampled_from([1, 2, 7, 33, 65, 130]),
    st.sampled_from([16, 32, 64, 128]),
    st.integers(0, 9),
    st.sampled_from([UNFUSED, *(Method("fused", tile) for tile in (None, 1, 5, 200))]),
    st.booleans(),
    st.one_of(st.none(), st.floats(2.0**-10, 4)),
)
def test_the_emulator_s_own_answer_fails_only_by_overflow_that_is_said(
    kind, n, d, seed, method, causal, scale
):
    """Warnings are errors here, so that no overflow is left to NumPy to tell."""
    q, k, v = (x.astype(np.float32) for x in kinds(n, d, seed)[kind])
    found = checked(q, k, v, method, Problem(n, d, causal, scale))
    lost, exceeding = found["kernel"]["float32"], found["output"]["exceeding"]
    scores, elements = (lost[f"{x}_overflowing"] for x in ("scores", "elements"))
    if found["verdict"] == "does not hold":
        assert scores or elements
        assert exceeding > 0
    elif found["verdict"] == "not certified":
        assert scores or not found["certified"]
    else:
        assert found["certified"]
        assert (exceeding, scores, elements) == (0, 0, 0)
    assert found["kernel"]["bytes"] == traffic.total_bytes(method.traffic(Problem(n, d, causal)))


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("normal", "holds"),
        ("all zero", "holds"),
        ("scores near 1e4", "holds"),
        ("subnormal everything", "holds"),
        ("scores of 1e30", "not certified"),
        ("nearly tied", "not certified"),
        ("equal values of huge scores", "holds"),
        ("scores beyond float32", "does not hold"),
        ("values at the limit", "does not hold"),
    ],
)
def test_what_each_kind_of_input_gets(kind, verdict):
    assert checked(*kinds(70, 16, 3)[kind])["verdict"] == verdict


def test_one_key_is_judged_by_its_value_however_large_its_score_is():
    """The answer is exact and its bound as sharp as any: nothing is left to certify."""
    x = np.full((1, 16), 133_120, np.float32)
    found = checked(x, x, x)
    assert (found["verdict"], found["certified"]) == ("holds", True)
    assert found["output"]["largest_error"] == 0


def test_a_score_that_overflows_downwards_drops_a_key_and_is_not_certified():
    """Two keys of equal exact score 0; one of them passes minus infinity on the way."""
    q, k, v = (np.zeros((2, 16), np.float32) for _ in range(3))
    q[:, :16:4], k[1, :16:4] = 4, [-3e38, -3e38, 3e38, 0]
    v[:] = 1
    found = checked(q, k, v)
    assert found["kernel"]["float32"]["scores_overflowing"] == 2
    assert found["kernel"]["float32"]["first_score"] == {"row": 0, "key": 1}
    assert found["output"]["exceeding"] == 0  # the values are equal, so the missing key cannot show
    assert found["verdict"] == "not certified"


def test_counts_that_are_not_the_formula_s_do_not_hold():
    q, k, v = tensors(10, 16)
    problem = Problem(10, 16)

    def miscounting(q, k, v):
        output, moved = emulated(FUSED, problem)(q, k, v)
        moved["fused"]["k"]["loads"] += 1
        return output, moved

    with pytest.raises(ClaimError, match=r"elements moved: found .* expected"):
        computed(q, k, v, FUSED, problem, miscounting)
