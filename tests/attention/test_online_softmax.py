import numpy as np
import pytest
from fusedfacts.attention import online_softmax, reference
from fusedfacts.attention.compare import compare
from fusedfacts.attention.online_softmax import check_rows, inputs, one_pass, shares
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import online_softmax as online_checks
from fusedfacts.model.probe import causal_scores
from fusedfacts.numerics import exponential, rng, rounding
from fusedfacts.numerics.exponential import exp


def slow_one_pass(row):
    """Milakov and Gimelshein, Algorithm 3, one number at a time."""
    maximum, total = row[0], np.float32(1)
    for x in row[1:]:
        new = max(maximum, x)
        factor, term = exp(np.float32([maximum - new, x - new]))
        total = total * factor + term
        maximum = new
    return maximum, total


@pytest.mark.parametrize("kind", inputs(1, 2, 20))
def test_every_kind_is_the_algorithm_s_and_lies_within_the_bound(kind):
    scores = inputs(23, 8, 200)[kind]
    seen, found = check_rows(scores)
    assert seen.passed, seen.largest_ratio
    for row, maximum, total in zip(scores[:2], found.maximum, found.total, strict=False):
        assert slow_one_pass(row) == (maximum, total)


def slow_share_bound(row):
    """docs/error-bound.md, "One pass", one number at a time."""
    u, e = 2.0**-24, exponential.ERROR / (1 - exponential.ERROR)
    s = row.astype(np.float64)
    p = np.exp(s - s.max())
    p /= p.sum()
    n = len(s)
    rises = [sum(s[j] > s[:j].max() for j in range(i + 1, n)) for i in range(n)]
    t = 0.0
    for i in range(n):
        depth = n - max(1, i) + rises[i]
        theta = u * (s.max() - s[i]) + (1 + rises[i]) * e
        t += p[i] * (np.exp(theta) * (1 + depth * u / (1 - depth * u)) - 1)
    own = u * (s.max() - s) + e
    return p * (np.exp(own) * (1 + u) / (1 - t) - 1) + 2 * n * 2.0**-149


@pytest.mark.parametrize("kind", [kind for kind in inputs(1, 2, 20) if kind != "large"])
def test_the_bound_of_shares_is_its_formula(kind):
    scores = inputs(4, 3, 30)[kind]
    exact = reference.softmax(scores.astype(np.float64))
    found = online_softmax.share_bound(scores, exact, one_pass(scores).rises)
    wanted = np.array([slow_share_bound(row) for row in scores])
    np.testing.assert_allclose(found, wanted, rtol=2e-6)


@pytest.mark.parametrize("far", [-200, -1e5, -1.2e10, -3e38])
def test_a_score_far_below_the_others_passes(far):
    seen, _ = check_rows(np.float32([[0, far], [far, 0]]))
    assert seen.passed
    assert np.isfinite(seen.bound_there)


def test_a_forgotten_rescale_is_seen():
    scores = inputs(4, 8, 100)["ascending"]
    found = one_pass(scores)
    total = np.zeros(8, np.float32)
    for i in range(100):
        total = total + exp(scores[:, i] - scores[:, : i + 1].max(axis=1))
    broken = online_softmax.OnePass(found.maximum, total, found.rises)
    exact = reference.softmax(scores.astype(np.float64))
    bound = online_softmax.share_bound(scores, exact, found.rises)
    assert compare(shares(scores, found), exact, bound).passed
    assert compare(shares(scores, broken), exact, bound).wrong_rows.all()


def test_records_of_ordered_rows():
    found = inputs(4, 3, 50)
    assert one_pass(found["descending"]).records.tolist() == [1, 1, 1]
    assert one_pass(found["all_equal"]).records.tolist() == [1, 1, 1]
    strictly = np.arange(50, dtype=np.float32)[None]
    assert one_pass(strictly).records.tolist() == [50]
    assert one_pass(np.float32([[1, 3, 2, 5]])).rises.tolist() == [[2, 1, 1, 0]]


def test_records_that_leave_the_law_stop_the_build(monkeypatch):
    monkeypatch.setattr(
        rng, "normal", lambda *_: np.sort(np.random.default_rng(0).random((64, 50)), axis=1)
    )
    with pytest.raises(ClaimError, match=r"record law: rows of 50 have 50\.000 records"):
        online_checks.record_results(1, 64, [50])


def test_the_model_s_largest_error_and_largest_ratio_are_those_of_any_length(facts, qkv):
    """They need not be of the same rows."""
    scores = causal_scores(qkv["held_out.q"], qkv["held_out.k"])
    found = facts["online_softmax"]["model_rows"]
    seen = [check_rows(scores[..., n - 1, :n].reshape(-1, n).copy())[0] for n in range(1, 25)]
    worst = max(seen, key=lambda rows: rows.largest_error)
    for key, value in (
        ("largest_error", worst.largest_error),
        ("bound_there", worst.bound_there),
        ("largest_ratio", max(rows.largest_ratio for rows in seen)),
    ):
        assert found[key] == rounding.up(value, key)


def test_the_record_law_of_the_model_s_rows_is_a_sum_over_lengths(facts):
    found = facts["online_softmax"]["model_rows"]
    expected, h = 0.0, 0.0
    for n in range(1, 25):
        h += 1 / n
        expected += 256 * 4 * (h - 1)
    assert found["rises_by_record_law"] == round(expected, 1)
    assert 0 < found["rises"] < found["rows"] * 24
