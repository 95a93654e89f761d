"""Memory grows with the number of keys, not with its square: a table of all pairs is never made."""

import tracemalloc

import numpy as np
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.recipe import RECIPES

D = 16


def peak(n):
    """The most bytes that judging one head of n queries and n keys takes beside the head itself."""
    q, k, v = np.random.default_rng(1).standard_normal((3, n, D), dtype=np.float32)
    problem = Problem(q, k, v, Pattern(n, n, D, causal=True), "float32")
    tracemalloc.start()
    judge_head(problem, RECIPES["fp32"], output=v, lse=v[:, 0])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_twice_the_keys_take_at_most_twice_the_memory():
    peak(64)  # what is compiled or loaded the first time is no part of it
    once, twice = peak(2048), peak(4096)
    assert twice < 2 * once
    assert twice < 4096**2 * 8  # one table of float64
