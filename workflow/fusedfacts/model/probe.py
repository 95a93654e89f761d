"""The probe is picked by a rule, not by hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import tiled
from fusedfacts.attention.problem import Problem
from fusedfacts.errors import FactsError

RULE = (
    "the first held-out sentence on which, in every head, some row's running maximum still rises"
    " after the first key tile"
)


# Of larger ones float32 cannot tell shares apart, and they would fill a histogram without end.
SCORE_MOST = 2**16


def causal_scores(q: NDArray[np.float32], k: NDArray[np.float32]) -> NDArray[np.float32]:
    """Compute the scores of (..., n, d) queries and keys; a masked pair is minus infinity."""
    n, d = q.shape[-2:]
    scores = tiled.scores(q * Problem(n, d).float32_scale, k)
    masked = np.triu(np.ones((n, n), dtype=bool), 1)
    return np.where(masked, np.float32(-np.inf), scores)


def late_rise(scores: NDArray[np.float32], key_rows: int) -> NDArray[np.bool_]:
    """Tell of each row of causal scores whether its maximum is beyond the first `key_rows` keys."""
    first = scores[..., :key_rows].max(axis=-1)
    late: NDArray[np.bool_] = scores.max(axis=-1) > first
    return late


def pick(q: NDArray[np.float32], k: NDArray[np.float32], key_rows: int) -> int:
    """Pick the probe among sentences of shape (sentences, heads, n, d) by `RULE`: its index."""
    scores = causal_scores(q, k)
    largest = float(np.abs(scores[..., np.tri(scores.shape[-1], dtype=bool)]).max())
    if not largest <= SCORE_MOST:
        raise FactsError(
            f"weights: found a score of size {largest:.3g} in a held-out sentence, expected at most"
            f" {SCORE_MOST}, as of larger ones float32 cannot tell shares apart; scale `query` or"
            " `key`"
        )
    every_head = late_rise(scores, key_rows).any(axis=-1).all(axis=-1)
    if not every_head.any():
        raise FactsError(
            f"held_out: no sentence qualifies as probe with control_key_rows {key_rows} ({RULE});"
            " use smaller control_key_rows in config.yaml"
        )
    return int(np.argmax(every_head))
