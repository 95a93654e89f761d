"""Scores and values of the model's own sentence, as the film draws them: no number is claimed.

Two heads are enough: the one on which the row that fills the first key tile sees its largest score
rise most often, and the one of the last row's largest score.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fusedfacts.attention.problem import Rows
from fusedfacts.claims.claim import PROBE, Section
from fusedfacts.model.probe import causal_scores
from fusedfacts.numerics.rounding import decimals


def rises(row: Rows) -> int:
    """Count how often the largest so far is set anew along a row, its first score apart.

    >>> rises(np.float32([1, 0, 2, 2, 3]))
    2
    """
    return int((np.diff(np.maximum.accumulate(row)) > 0).sum())


def _shown(row: Rows) -> list[float]:
    return [decimals(float(number)) for number in row]


def compute(q: Rows, k: Rows, v: Rows, *, control_key_rows: int) -> dict[str, Any]:
    """Show the scores of the first key tile's rows on one head, and of the last row on another."""
    scores = causal_scores(q, k)
    tile = min(control_key_rows, scores.shape[-1])
    table = int(np.argmax([rises(head[tile - 1, :tile]) for head in scores]))
    last = int(np.argmax(scores[:, -1].max(axis=-1)))
    return {
        "key_rows": control_key_rows,
        "first_tile": {
            "head": table,
            "scores": [_shown(scores[table, i, : i + 1]) for i in range(tile)],
            "values": [_shown(row) for row in v[table, :tile]],
        },
        "last_row": {
            "head": last,
            "scores": _shown(scores[last, -1]),
            "values": [_shown(row) for row in v[last]],
        },
    }


SECTION = Section(compute, lambda found: [], tensors=PROBE, settings=("control_key_rows",))
