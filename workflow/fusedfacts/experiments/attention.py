"""Plain, tiled and one-pass computations on the model's own tensors, each within its bound."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import fused_order, unfused_order
from fusedfacts.attention.compare import (
    compare,
    figures,
    require_certified,
    require_equal,
    smallest_faults_seen,
)
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.online_softmax import check_rows
from fusedfacts.attention.problem import fused_key_rows
from fusedfacts.attention.tiled import tiled
from fusedfacts.emulator import launch
from fusedfacts.experiments.online_softmax import harmonic
from fusedfacts.model.probe import causal_scores
from fusedfacts.numerics.rounding import decimals

Floats = NDArray[np.float32]
LAW_DECIMALS = 1  # of an expected count of tens of thousands


def head_attention(
    q: Floats, k: Floats, v: Floats, widths: Sequence[int], name: str
) -> dict[str, Any]:
    """One head of one sentence, causal: the unfused kernels, the fused one, and tile widths.

    Raises
    ------
    ClaimError
        If an answer lies outside its bound, or the emulated fused kernel and the plain tiled
        reference differ in a bit.
    """
    d = q.shape[1]
    orders = [unfused_order(d), *(fused_order(d, width) for width in widths)]
    bounded = attention_bounds(q, k, v, orders, causal=True)
    require_certified(bounded.certified, name)
    answers = [launch.unfused(q, k, v, causal=True).output]
    for width in widths:
        answer = tiled(q, k, v, key_rows=width, causal=True).output
        emulated = launch.fused(q, k, v, causal=True, key_rows=width).output
        require_equal(emulated.tobytes() == answer.tobytes(), True, f"{name}, width {width}: bits")
        answers.append(answer)
    labels = ["plain", *(f"tiled_{width}" for width in widths)]
    return {
        label: {
            **figures(compare(answer, bounded.exact, bound), f"{name}, {label}"),
            "smallest_fault_seen": smallest_faults_seen(answer, bounded.exact, bound),
        }
        for label, answer, bound in zip(labels, answers, bounded.bounds, strict=True)
    }


def attention_results(q: Floats, k: Floats, v: Floats, widths: Sequence[int]) -> dict[str, Any]:
    """Every head of the probe; tensors of shape (heads, n, d)."""
    widths = sorted({*widths, fused_key_rows(q.shape[-1])})
    return {
        "key_rows": widths,
        "heads": [
            head_attention(q[h], k[h], v[h], widths, f"model attention, head {h}")
            for h in range(q.shape[0])
        ],
    }


def one_pass_results(q: Floats, k: Floats) -> dict[str, Any]:
    """The one pass over every causal row of scores of (sentences, heads, n, d) tensors."""
    scores = causal_scores(q, k)
    n = scores.shape[-1]
    largest: dict[str, Any] | None = None
    rises = 0
    for row in range(n):
        rows = np.ascontiguousarray(scores[..., row, : row + 1].reshape(-1, row + 1))
        seen, found = check_rows(rows)
        shown = figures(seen, f"one pass, model rows of {row + 1} scores")
        rises += int((found.records - 1).sum())
        if largest is None or shown["largest_ratio"] > largest["largest_ratio"]:
            largest = shown
    assert largest is not None
    count = int(np.prod(scores.shape[:-1]))
    # The first score of a row is a record but no rise.
    law = sum((harmonic(length) - 1 for length in range(1, n + 1)), Fraction(0)) * (count // n)
    return {
        **largest,
        "rows": count,
        "rises": rises,
        "rises_by_record_law": decimals(law, LAW_DECIMALS),
    }
