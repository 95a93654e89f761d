"""Online softmax: largest and total in one pass (Milakov and Gimelshein 2018, Algorithm 3).

Everything works on many rows at once; along a row the pass goes element by element.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import reference
from fusedfacts.attention.arithmetic import TINY, UNIT, gamma
from fusedfacts.attention.compare import Comparison, compare
from fusedfacts.attention.error_bound import EVALUATION
from fusedfacts.attention.problem import Scores, Wide
from fusedfacts.attention.row_terms import VANISHED
from fusedfacts.numerics import rng
from fusedfacts.numerics.exponential import ERROR, exp

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class OnePass:
    """The result of one pass over rows of scores.

    Attributes
    ----------
    maximum, total : ndarray of float32, shape (rows,)
    rises : ndarray of int64, shape (rows, n)
        For each element, how often the maximum rose after it.
    """

    maximum: Floats
    total: Floats
    rises: NDArray[np.int64]

    @property
    def records(self) -> NDArray[np.int64]:
        """Count elements larger than all before them, the first included, in each row."""
        records: NDArray[np.int64] = self.rises[:, 0] + 1
        return records


def one_pass(scores: Scores) -> OnePass:
    """Keep the running maximum and the rescaled total of each row of scores.

    >>> found = one_pass(np.float32([[1, 3, 2]]))
    >>> float(found.maximum[0]), round(float(found.total[0]), 3), int(found.records[0])
    (3.0, 1.503, 2)
    """
    rows, n = scores.shape
    maximum = scores[:, 0].copy()
    total = np.ones(rows, dtype=np.float32)
    rose = np.zeros((rows, n), dtype=np.int64)
    for i in range(1, n):
        new = np.maximum(maximum, scores[:, i])
        rose[:, i] = new > maximum
        total = total * exp(maximum - new) + exp(scores[:, i] - new)
        maximum = new
    after = rose[:, ::-1].cumsum(axis=1)[:, ::-1]
    return OnePass(maximum, total, np.concatenate([after[:, 1:], np.zeros((rows, 1), int)], 1))


def shares(scores: Scores, found: OnePass) -> Scores:
    """Compute the softmax of each row from the maximum and total of the one pass."""
    result: Scores = exp(scores - found.maximum[:, None]) / found.total[:, None]
    return result


def share_bound(scores: Scores, exact: Wide, rises: NDArray[np.int64]) -> Wide:
    """Bound how far each share may lie from the exact one (docs/error-bound.md, "One pass")."""
    n = scores.shape[1]
    wide = scores.astype(np.float64)
    # Beyond VANISHED a share is 0 in float32 and below the last term; exp must not overflow.
    gap = np.minimum(wide.max(axis=1, keepdims=True) - wide, VANISHED)
    own = UNIT * gap + ERROR / (1 - ERROR)
    summed = UNIT * gap + (1 + rises) * ERROR / (1 - ERROR)
    depth = n - np.maximum(1, np.arange(n)) + rises
    total = (exact * (np.exp(summed) * (1 + gamma(depth, UNIT)) - 1)).sum(axis=1, keepdims=True)
    relative = np.exp(own) * (1 + UNIT) / (1 - total) - 1
    bound: Wide = (exact * relative + 2 * n * TINY) * EVALUATION
    return bound


def check_rows(scores: Scores) -> tuple[Comparison, OnePass]:
    """Run the one pass over rows of scores and compare its shares with two-pass float64."""
    found = one_pass(scores)
    exact = reference.softmax(scores.astype(np.float64))
    bound = share_bound(scores, exact, found.rises)
    return compare(shares(scores, found), exact, bound), found


def inputs(seed: int, rows: int, length: int) -> dict[str, Scores]:
    """Draw seeded rows of several kinds, by name."""
    plain = rng.normal(seed, 0, (rows, length))
    ordered = np.sort(plain, axis=1)
    spike = plain.copy()
    spike[:, -1] = 16
    ragged = length - length // 3 - 1
    return {
        "normal": plain,
        "ascending": ordered,
        "descending": ordered[:, ::-1].copy(),
        "all_equal": np.full((rows, length), plain[0, 0], dtype=np.float32),
        "spike_at_the_end": spike,
        "large": plain * np.float32(64),
        "dyadic": rng.dyadic(seed, 1, (rows, length)),
        "length_one": plain[:, :1].copy(),
        "ragged": plain[:, :ragged].copy(),
    }
