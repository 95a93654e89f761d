"""Blocks of rows are judged side by side: in order, as many as are allowed, with the same bits."""

import os

import numpy as np
import pytest
from fusedfacts.attention import reference
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.recipe import RECIPES
from fusedfacts.numerics import side_by_side


@pytest.fixture
def openblas(monkeypatch):
    """A BLAS of four threads, and how many it is told to start."""
    told = [4]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4))
    monkeypatch.setattr(side_by_side, "_openblas", lambda: (lambda: told[-1], told.append))
    monkeypatch.delenv(side_by_side.ALLOWED, raising=False)
    return told


@pytest.mark.parametrize(("allowed", "expected"), [("", 4), ("2", 2), ("99", 4), ("1", 1)])
def test_as_many_threads_are_started_as_are_allowed(monkeypatch, openblas, allowed, expected):
    monkeypatch.setenv(side_by_side.ALLOWED, allowed)
    assert side_by_side.threads() == expected


def test_no_thread_is_started_beside_a_blas_that_cannot_be_told_to_start_none(monkeypatch):
    monkeypatch.setattr(side_by_side, "_openblas", lambda: None)
    assert side_by_side.threads() == 1


def test_blas_starts_none_meanwhile_and_as_many_as_before_afterwards(openblas):
    def both(number):
        return list(side_by_side.in_order(lambda other: openblas[-1] * other, range(number)))

    assert list(side_by_side.in_order(both, [2, 3])) == [[0, 1], [0, 1, 2]]
    assert openblas == [4, 1, 4]
    with pytest.raises(ZeroDivisionError):
        list(side_by_side.in_order(lambda number: 1 // number, [1, 0]))
    assert openblas[-1] == 4


def test_numpy_s_own_openblas_is_found():
    get, put = side_by_side._openblas()
    before = get()
    put(1)
    assert get() == 1
    put(before)


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
