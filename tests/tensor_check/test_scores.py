"""Figures of scores, against loops over Python's own numbers."""

from fractions import Fraction

import numpy as np
import pytest
from fusedfacts.attention.problem import Problem
from fusedfacts.attention.tiled import tiled
from fusedfacts.emulator import execute
from fusedfacts.numerics import fp16
from fusedfacts.tensor_check import scores as score_figures
from fusedfacts.tensor_check.scores import totals_overflow
from support.common import tensors


def figures(q, k, *, causal=False, key_rows=None):
    return score_figures.figures(q, k, Problem.of(q, causal=causal), key_rows)


def ray(scores):
    """Queries and keys of d = 16 whose scores are these numbers, the same in every row."""
    q = np.zeros((len(scores), 16), np.float32)
    k = q.copy()
    q[:, 0], k[:, 0] = 4, scores
    return q, k


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("key_rows", [1, 13, 500])
def test_rises_are_those_of_the_readable_reference(causal, key_rows):
    q, k, v = tensors(150, 32)
    found = figures(q, k, causal=causal, key_rows=key_rows)
    assert found["rises"] == tiled(q, k, v, key_rows=key_rows, causal=causal).rises.sum()


@pytest.mark.parametrize("causal", [False, True])
def test_counts_and_the_largest_score_are_those_of_the_table(causal):
    q, k, _ = tensors(140, 16)
    k *= 9
    found = figures(q, k, causal=causal)
    table = np.concatenate([scores for _, scores in execute.score_blocks(q, k, causal=causal)])
    seen = [float(s) for row, line in enumerate(table) for s in line[: row + 1 if causal else 140]]
    infinite = [s for s in seen if fp16.ln(fp16.TO_INFINITY) <= s]
    assert found["fp16"]["scores"] == len(seen)
    assert found["largest_score"] == max(seen)
    assert found["fp16"]["infinite_terms"] == len(infinite) > 0
    assert found["float32"]["scores_overflowing"] == 0


def slow_total_overflows(row):
    terms = [Fraction(float(fp16._exact_exp(float(s)))) for s in row]
    return sum(terms) >= fp16.TO_INFINITY


@pytest.mark.parametrize("scale", [0.5, 2.0, 2.2])
def test_rows_whose_total_alone_overflows_are_those_of_exact_fractions(scale):
    q, k, _ = tensors(40, 16)
    scores = np.minimum(q @ k.T * np.float32(scale / 4), np.float32(11))
    wanted = sum(slow_total_overflows(row) for row in scores)
    assert totals_overflow(scores.astype(np.float32)) == wanted


@pytest.mark.parametrize(("equal", "over"), [(65520, True), (65519, False)])
def test_a_total_at_the_threshold_is_decided_exactly(equal, over):
    """As many terms of exactly one as fp16 rounds to infinity, and one fewer."""
    assert totals_overflow(np.zeros((1, equal), np.float32)) == over


def test_a_row_with_an_infinite_term_is_not_counted_by_its_total():
    found = figures(*ray([12.0, 11.0, 11.0, 0.0]))
    assert list(found["fp16"].values()) == [16, 4, 4, 0]
    found = figures(*ray([11.0, 11.0, 0.0]))
    assert list(found["fp16"].values()) == [9, 0, 0, 3]


def test_a_masked_key_counts_nowhere():
    found = figures(*ray([0.0, 0.0, 12.0]), causal=True)
    assert list(found["fp16"].values()) == [6, 1, 1, 0]


@pytest.mark.parametrize("key", [3e38, -3e38])
def test_scores_that_leave_float32_are_counted_with_the_first_place(key):
    q, k, _ = tensors(5, 16)
    q[:], k[:] = 4, 1
    k[2], q[0] = key, 0
    found = figures(q, k, causal=True)
    assert list(found["float32"].values()) == [3, {"row": 2, "key": 2}]
    # Row 2's score of key 2 and later rows', exactly; what float32 lost still counts for fp16.
    assert found["largest_score"] == (4.8e39 if key > 0 else 16)
    assert list(found["fp16"].values()) == [15, 14 if key > 0 else 11, 4, 0]


def test_where_scores_leave_float32_fp16_is_told_by_the_exact_ones_and_no_rise_is_told():
    generator = np.random.default_rng(5)
    q, k = (generator.normal(size=(40, 16)).astype(np.float32) * np.float32(1e20) for _ in "qk")
    exact = q.astype(float) @ k.astype(float).T / 4
    found = figures(q, k, key_rows=1)
    assert found["fp16"]["infinite_terms"] == (exact > 12).sum()
    assert found["fp16"]["rows_with_infinite_term"] == (exact > 12).any(axis=1).sum()
    assert found["rises"] is None
