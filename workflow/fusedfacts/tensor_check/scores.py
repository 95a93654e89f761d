"""What the computed scores of one head say: their size, and where float16 or float32 is too small.

Scores are looked at one query tile after another, so that memory grows with n. They are float32
numbers in the contract's order, the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import Problem, Rows, Scores, Wide
from fusedfacts.emulator.launch import score_blocks
from fusedfacts.numerics import fp16

Mask = NDArray[np.bool_]

# Rounding each of a row's terms to fp16 moves their sum by at most this, relatively ...
TERM_ROUNDING = 2.0**-11
# ... and, where terms are subnormal in fp16, by this for each; float32's exp errs by far less.
TERM_FLUSH = fp16.LEAST
EXACT_DIGITS = 6  # of a score that float32 lost: far fewer than any two BLAS differ in
LARGEST = float(np.finfo(np.float32).max)
COARSE = 2 * TERM_ROUNDING
# Beyond this a term is infinite in fp16, and its row is not summed.
CLIPPED = 12.0


@dataclass
class ScoreFigures:
    """Figures of all scores of a head.

    Attributes
    ----------
    scores : int
        How many there are.
    largest : float or None
        The largest: as float32 has it, or the exact one where float32 lost it.
    rises : int or None
        Tiles after the first on which a row's running maximum rose, over all rows; None where no
        tile's height is given, or a score overflowed, so that no maximum can be told.
    overflowed : int
        Scores that are not finite in float32, although every exact one is.
    first_overflowed : tuple of int or None
        Row and key of the first.
    infinite_in_fp16 : int
        Scores whose exponential is infinite in fp16 without subtracting the maximum.
    rows_with_infinite, rows_by_total_alone : int
        Rows with such a score, and rows whose exact total alone is infinite in fp16.
    """

    scores: int = 0
    largest: float | None = None
    rises: int | None = None
    overflowed: int = 0
    first_overflowed: tuple[int, int] | None = None
    infinite_in_fp16: int = 0
    rows_with_infinite: int = 0
    rows_by_total_alone: int = 0


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


def _exact(q: Rows, k: Rows, problem: Problem) -> Wide:
    """Compute scores of some rows in float64, which none of float32's products overflows."""
    exact: Wide = q.astype(np.float64) @ k.astype(np.float64).T * problem.softmax_scale
    return exact


def totals_overflow(scores: Scores) -> int:
    """Count rows whose exact total of fp16 terms rounds to infinity; no term may be infinite.

    A coarse sum decides all rows but those near the threshold, which are summed exactly.
    """
    coarse = np.exp(np.minimum(scores, np.float32(CLIPPED))).sum(axis=1, dtype=np.float64)
    flushed = scores.shape[1] * TERM_FLUSH
    over = coarse * (1 - COARSE) - flushed >= fp16.TO_INFINITY
    unclear = ~over & (coarse * (1 + COARSE) + flushed >= fp16.TO_INFINITY)
    exact = fp16.total_overflows(fp16.exp16(scores[unclear]))
    return int(over.sum() + exact.sum())


def figures(q: Rows, k: Rows, problem: Problem, key_rows: int | None = None) -> ScoreFigures:
    """Compute the figures of the scores of q and k, the maximum taken after each `key_rows` keys.

    >>> x = np.zeros((3, 16), dtype=np.float32)
    >>> found = figures(x, x, Problem(3, 16, causal=True), key_rows=1)
    >>> found.scores, found.largest, found.rises, found.infinite_in_fp16
    (6, 0.0, 0, 0)
    """
    threshold = fp16.least_float32_from(fp16.ln(fp16.TO_INFINITY))
    keys = np.arange(q.shape[0])
    found, rose, largest = ScoreFigures(), 0, -np.inf
    for first, scores in score_blocks(q, k, causal=problem.causal, scale=problem.scale):
        rows = np.arange(first, first + len(scores))
        seen = keys <= rows[:, None] if problem.causal else np.ones(scores.shape, dtype=bool)
        finite = np.isfinite(scores)
        largest = max(largest, float(scores[finite].max(initial=-np.inf)))
        lost = seen & ~finite
        if lost.any():
            # What float32 lost is decided by the exact score: it is far from fp16's threshold.
            exact = _exact(q[rows], k, problem)
            largest = max(largest, float(f"{exact[lost].max():.{EXACT_DIGITS}g}"))
            bounded = np.clip(exact, -LARGEST, LARGEST).astype(np.float32)
            scores = np.where(lost, bounded, scores)
            row, key = (int(i) for i in np.argwhere(lost)[0])
            found.first_overflowed = found.first_overflowed or (first + row, key)
        if key_rows is not None:
            rose += rises(scores, seen, key_rows)
        infinite = scores >= threshold
        with_infinite = infinite.any(axis=1)
        found.scores += int(seen.sum())
        found.overflowed += int(lost.sum())
        found.infinite_in_fp16 += int(infinite.sum())
        found.rows_with_infinite += int(with_infinite.sum())
        found.rows_by_total_alone += totals_overflow(scores[~with_infinite])
    found.largest = largest if np.isfinite(largest) else None
    found.rises = None if key_rows is None or found.overflowed else rose
    return found
