"""What the computed scores of one head say: their size, and where float16 or float32 is too small.

Scores are looked at one query tile after another, so that memory grows with n. They are float32
numbers in the contract's order, the same on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import Problem, Rows, Scores
from fusedfacts.emulator.execute import score_blocks
from fusedfacts.numerics import fp16

Mask = NDArray[np.bool_]

EXACT_DIGITS = 6  # of a score that float32 lost: far fewer than any two BLAS differ in
LARGEST = float(np.finfo(np.float32).max)
# n terms of e^x sum to less than fp16's threshold, which is e^11.09, where x + ln n is less than
# this: rounding each term to fp16 adds far less than a tenth.
LN_SAFE = 11.0


def rises(scores: Scores, seen: Mask, key_rows: int) -> int:
    """Count tiles of `key_rows` keys after the first on which a row's maximum rose, over all rows.

    >>> s = np.float32([[1, 0, 2, 3, 0, 4]])
    >>> rises(s, np.ones(s.shape, bool), 2), rises(s, np.ones(s.shape, bool), 3)
    (2, 1)
    """
    starts = np.arange(0, scores.shape[1], key_rows)
    highest = np.maximum.reduceat(np.where(seen, scores, -np.inf), starts, axis=1)
    running = np.maximum.accumulate(highest, axis=1)
    return int((running[:, 1:] > running[:, :-1]).sum())


def totals_overflow(scores: Scores) -> int:
    """Count rows whose exact total of fp16 terms rounds to infinity; no term may be infinite."""
    near = scores.max(axis=1) + np.log(scores.shape[1]) >= LN_SAFE
    return int(fp16.total_overflows(fp16.exp16(scores[near])).sum())


def figures(q: Rows, k: Rows, problem: Problem, key_rows: int | None = None) -> dict[str, Any]:
    """Compute what workflow/schemas/check.schema.json says of a head's scores.

    The running maximum is taken after each `key_rows` keys. Where a score overflows, no maximum
    can be told, and so no rise.

    >>> x = np.zeros((3, 16), dtype=np.float32)
    >>> found = figures(x, x, Problem(3, 16, causal=True), key_rows=1)
    >>> found["largest_score"], found["rises"], found["fp16"]["scores"]
    (0.0, 0, 6)
    """
    threshold = fp16.least_float32_from(fp16.ln(fp16.TO_INFINITY))
    keys = np.arange(q.shape[0])
    rose, largest, overflowed, first_lost = 0, -np.inf, 0, None
    in_fp16 = np.zeros(4, np.int64)
    for first, scores in score_blocks(q, k, causal=problem.causal, scale=problem.scale):
        rows = np.arange(first, first + len(scores))
        seen = keys <= rows[:, None] if problem.causal else np.ones(scores.shape, dtype=bool)
        finite = np.isfinite(scores)
        largest = max(largest, float(scores[finite].max(initial=-np.inf)))
        lost = seen & ~finite
        if lost.any():
            # What float32 lost is decided by the exact score: it is far from fp16's threshold.
            exact = q[rows].astype(np.float64) @ k.astype(np.float64).T * problem.softmax_scale
            largest = max(largest, float(f"{exact[lost].max():.{EXACT_DIGITS}g}"))
            bounded = np.clip(exact, -LARGEST, LARGEST).astype(np.float32)
            scores = np.where(lost, bounded, scores)
            row, key = (int(i) for i in np.argwhere(lost)[0])
            first_lost = first_lost or {"row": first + row, "key": key}
            overflowed += int(lost.sum())
        if key_rows is not None:
            rose += rises(scores, seen, key_rows)
        infinite = scores >= threshold
        with_infinite = infinite.any(axis=1)
        totals = totals_overflow(scores[~with_infinite])
        in_fp16 += [seen.sum(), infinite.sum(), with_infinite.sum(), totals]
    names = "scores", "infinite_terms", "rows_with_infinite_term", "rows_overflowing_in_total_only"
    return {
        "rises": None if key_rows is None or overflowed else rose,
        "largest_score": largest if np.isfinite(largest) else None,
        "float32": {"scores_overflowing": overflowed, "first_score": first_lost},
        "fp16": dict(zip(names, in_fp16.tolist(), strict=True)),
    }
