"""Blocks of rows are judged side by side: in order, as many as are allowed, with the same bits."""

import os

import numpy as np
import pytest
from fusedfacts.attention import reference
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.recipe import RECIPES
from fusedfacts.numerics import side_by_side


@pytest.mark.parametrize(
    ("blas", "allowed", "expected"),
    [("1", "", 4), ("1", "2", 2), ("1", "99", 4), ("2", "", 1), ("", "", 1), ("1", "1", 1)],
)
def test_threads_are_started_only_where_blas_starts_none(monkeypatch, blas, allowed, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4))
    monkeypatch.setenv(side_by_side.BLAS, blas)
    monkeypatch.setenv(side_by_side.ALLOWED, allowed)
    assert side_by_side.threads() == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_order_and_a_fault_comes_as_it_is(monkeypatch, threads):
    monkeypatch.setattr(side_by_side, "threads", lambda: threads)
    found = side_by_side.in_order(lambda number: 6 // (3 - number), range(9))
    assert [next(found) for _ in range(3)] == [2, 3, 6]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_numpy_is_as_strict_in_threads_as_outside(monkeypatch):
    monkeypatch.setattr(side_by_side, "threads", lambda: 2)
    zeros = np.zeros(1)
    with np.errstate(divide="ignore"):
        found = list(side_by_side.in_order(lambda number: float((number / zeros)[0]), [1, 2]))
    assert found == [np.inf, np.inf]


def test_a_judgement_is_the_same_in_threads(monkeypatch):
    monkeypatch.setattr(reference, "BLOCK_PAIRS", 1)  # blocks of the least rows
    q, k, v = np.random.default_rng(1).standard_normal((3, 150, 16), dtype=np.float32)
    problem = Problem(q, k, v, Pattern(150, 150, 16, causal=True), "float32")
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(side_by_side, "threads", lambda some=threads: some)
        found.append(judge_head(problem, RECIPES["fp32"], output=v).output)
    assert found[0].largest_ratio == found[1].largest_ratio
    assert found[0].first == found[1].first
