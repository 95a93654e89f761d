"""The matrix of faults against rules: the kernel, the measures, and what must not be published."""

import numpy as np
import pytest
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import rules
from fusedfacts.experiments.half_kernel import KEY_ROWS, Fault, fused, rounded, unfused
from fusedfacts.experiments.recorded import recorded

N, D = 10 * KEY_ROWS - 5, 16
RNG = np.random.default_rng(3)
Q, K, V = (rounded(RNG.standard_normal((N, D)), "bf16") for _ in "qkv")
V = np.abs(V)  # so that an output grows from tile to tile, and its roundings with it
WIDE = 3.0  # roundings of half a unit each: of weights, of the answer, and of what they add up to
UNIT = {"fp16": 2.0**-11, "bf16": 2.0**-8}


def plain(q, k, v, causal, scale=D**-0.5):
    scores = q @ k.T * scale
    scores = np.where(np.tri(len(q), len(k), dtype=bool), scores, -np.inf) if causal else scores
    weights = np.exp(scores)
    return weights @ v / weights.sum(axis=1, keepdims=True), np.log(weights.sum(axis=1))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("half", UNIT)
def test_the_right_kernel_computes_attention_to_half_precision(half, causal):
    output, lse = plain(Q, K, V, causal)
    found, found_lse = fused(Q, K, V, half, Fault(), causal=causal)
    limit = WIDE * UNIT[half] * np.abs(V).max()
    assert np.abs(found - output).max() < limit
    assert np.abs(found_lse - lse).max() < 1e-12
    assert np.abs(unfused(Q, K, V, half, causal=causal) - output).max() < 4 * limit
    assert np.array_equal(found, rounded(found, half))


@pytest.mark.parametrize("name", rules.FAULTS)
def test_a_fault_changes_the_answer_and_a_proved_bound_sees_it(name):
    right, lse = fused(Q, K, V, "fp16", Fault(), causal=False)
    wrong, wrong_lse = fused(Q, K, V, "fp16", rules.FAULTS[name], causal=False)
    assert not (np.array_equal(right, wrong) and np.array_equal(lse, wrong_lse))
    exact = rules.exactly(Q, K, V, "fp16", causal=False)
    before, after = (rules.measures(*x, exact) for x in ((right, lse), (wrong, wrong_lse)))
    assert max(before[rule] for rule in rules.OURS) < 1
    assert max(after[rule] for rule in rules.OURS) > 1


def test_each_fault_is_what_its_name_says():
    """Those that are attentions of their own, against these; to the digits of bf16."""
    whole = N - N % KEY_ROWS
    padded = np.vstack([K, np.zeros((5, D))]), np.vstack([V, np.zeros((5, D))])
    moved = V.copy()
    moved[KEY_ROWS : 2 * KEY_ROWS] = V[KEY_ROWS + 1 : 2 * KEY_ROWS + 1]
    for name, (output, lse) in {
        "scale_of_d_plus_1": plain(Q, K, V, False, (D + 1) ** -0.5),
        "scale_slightly_off": plain(Q, K, V, False, 1.002 * D**-0.5),
        "last_tile_skipped": plain(Q, K[:whole], V[:whole], False),
        "padding_counted": plain(Q, *padded, False),
        "values_off_by_one": plain(Q, K, moved, False),
    }.items():
        found, found_lse = fused(Q, K, V, "bf16", rules.FAULTS[name], causal=False)
        assert np.abs(found_lse - lse).max() < 1e-12, name
        assert np.abs(found - output).max() < WIDE * UNIT["bf16"] * np.abs(V).max(), name


def test_a_measure_is_by_how_many_times_the_limit_is_exceeded():
    exact = rules.exactly(Q, K, V, "bf16", causal=False)
    r = rounded(exact.output, "bf16")
    output, lse = r + 0.02, exact.lse + 3 * exact.lse_bound
    found = rules.measures(output, lse, exact)
    allowed = np.abs(exact.reference - r)
    error = np.abs(output - r)
    assert found["bound_on_lse"] == pytest.approx(3)
    assert found["twice_half"] == pytest.approx(error.max() / allowed.max() / 2)
    means = (np.abs(x - exact.output).mean() for x in (output, exact.reference))
    assert found["mean"] == pytest.approx(next(means) / next(means) / 1.1)
    assert found["absolute"] == pytest.approx(np.abs(output - exact.output).max() / 0.01)
    assert found["twice_half_and_more"] < found["twice_half"]
    same = rules.measures(exact.output, exact.lse, exact)
    assert (same["bound_on_output"], same["bound_on_lse"], same["absolute"]) == (0, 0, 0)
    assert abs(same["cosine"]) < 1e-9
    assert rules.measures(-exact.output, exact.lse, exact)["cosine"] == pytest.approx(2000)


def test_a_sink_head_hides_a_forgotten_rescale_from_every_rule():
    """All the weight lies on the first key, so no maximum rises: the fault changes no bit."""
    (call,) = (call for call in recorded() if call.model and call.options)
    sinks = [i for i, (layer, _) in enumerate(call.model["heads"]) if layer == 18]
    given = list(rules.heads())
    for q, k, v, causal in [given[i] for i in sinks]:
        right = fused(q, k, v, "fp16", Fault(), causal=causal)
        wrong = fused(q, k, v, "fp16", rules.FAULTS["total_not_rescaled"], causal=causal)
        assert all(np.array_equal(a, b) for a, b in zip(right, wrong, strict=True))


def test_what_another_machine_might_say_otherwise_is_not_published():
    assert rules.verdicts({"a": 1.0, "b": 1.1, "c": 0.9}, "x") == {
        "a": False,
        "b": True,
        "c": False,
    }
    for near in (1 + 1e-12, 1 - 1e-12):
        with pytest.raises(ClaimError, match=r"rules: x: a found .*, at its limit"):
            rules.verdicts({"a": near}, "x")


def test_a_bound_that_a_right_kernel_exceeds_stops_the_build(monkeypatch):
    monkeypatch.setattr(rules, "heads", lambda: iter([(Q, K, V, False)]))
    found = rules.compute()
    assert found["heads"] == 1
    assert found["seen"]["fp16"]["none"] == dict.fromkeys(rules.RULES, 0)
    assert "weights_in_bf16" not in found["seen"]["bf16"]
    tight = rules.exactly
    monkeypatch.setattr(
        rules,
        "exactly",
        lambda *given, **of: (exact := tight(*given, **of))._replace(bound=exact.bound / 1e3),
    )
    with pytest.raises(ClaimError, match="a right kernel in fp16 exceeds a proved bound"):
        rules.compute()
