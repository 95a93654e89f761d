"""What would overflow in fp16 on the model's own scores, were the maximum not subtracted."""

from __future__ import annotations

from typing import Any

import numpy as np

from fusedfacts.attention.problem import Rows
from fusedfacts.claims.claim import MODEL_INPUTS, Claim, Group, Section
from fusedfacts.errors import ClaimError
from fusedfacts.model.probe import causal_scores
from fusedfacts.numerics import fp16
from fusedfacts.numerics.exponential import exp
from fusedfacts.numerics.rounding import decimals


def compute(probe_q: Rows, probe_k: Rows, held_out_q: Rows, held_out_k: Rows) -> dict[str, Any]:
    """Compute the overflow arithmetic of one sentence, (heads, n, d), and of many.

    Raises
    ------
    ClaimError
        If a term exceeds 1 after the maximum is subtracted.
    """
    last_row = causal_scores(probe_q, probe_k)[:, -1, :]
    largest = last_row.max()
    in_fp16 = float(fp16.exp16(np.array([largest]))[0])
    head, key = (int(x) for x in np.unravel_index(last_row.argmax(), last_row.shape))

    scores = causal_scores(held_out_q, held_out_k)
    seen = np.isfinite(scores)
    ln_largest, ln_infinity = fp16.ln(fp16.LARGEST), fp16.ln(fp16.TO_INFINITY)
    infinite = scores >= fp16.least_float32_from(ln_infinity)
    above = scores >= fp16.least_float32_from(ln_largest)
    terms = fp16.exp16(scores)
    if not np.array_equal(np.isinf(terms), infinite):
        raise ClaimError("overflow: the thresholds and the exponentials disagree on infinities")

    in_total_only = fp16.total_overflows(terms[np.isfinite(terms).all(axis=-1)])
    subtracted = exp(scores - scores.max(axis=-1, keepdims=True))
    if not bool((subtracted[seen] <= 1).all()):
        raise ClaimError("overflow: a term exceeds 1 after the maximum is subtracted")
    return {
        "fp16": {
            "largest": fp16.LARGEST,
            "rounds_to_infinity_from": fp16.TO_INFINITY,
            "ln_largest": decimals(ln_largest),
            "ln_rounds_to_infinity_from": decimals(ln_infinity),
        },
        "probe_last_row": {
            "largest_score": decimals(float(largest)),
            "head": head,
            "key": key,
            "exp_in_fp16": in_fp16 if np.isfinite(in_fp16) else None,
            "fits": bool(np.isfinite(in_fp16)),
        },
        "held_out": {
            "scores": int(seen.sum()),
            "rows": int(np.prod(scores.shape[:-1])),
            "largest_score": decimals(float(scores.max())),
            "infinite_terms": int(infinite.sum()),
            "above_largest_but_finite": int((above & ~infinite).sum()),
            "rows_with_infinite_term": int(infinite.any(axis=-1).sum()),
            "rows_overflowing_in_total_only": int(in_total_only.sum()),
            "infinite_terms_per_head": [int(x) for x in infinite.sum(axis=(0, 2, 3))],
        },
        "after_subtraction": {
            "largest_term": float(subtracted[seen].max()),
            "terms_above_one": int((subtracted[seen] > 1).sum()),
        },
        "histogram": histogram(scores[seen]),
    }


def histogram(scores: Rows) -> dict[str, list[int]]:
    """Count the scores that lie in each unit interval, from the lowest edge to the highest."""
    lowest, highest = int(np.floor(scores.min())), int(np.floor(scores.max())) + 1
    edges = list(range(lowest, highest + 1))
    counts, _ = np.histogram(scores, bins=np.array(edges, dtype=np.float64))
    return {"edges": edges, "counts": [int(count) for count in counts]}


OVERFLOW = Group(
    "fusedfacts.experiments.overflow.compute",
    MODEL_INPUTS,
    "The thresholds are had by exact arithmetic, and agree with every term rounded to fp16.",
    "The model computes in float32 and subtracts the maximum, so it never overflows; this says"
    " what would happen in fp16.",
)
TABLES = {
    "fp16": """
largest | The largest number of fp16 is {}. | 1 | $largest
rounds_to_infinity_from | Rounding to fp16 gives infinity from {} on, since the tie goes to it. | 1
    | $infinite
ln_largest | The natural logarithm of fp16's largest number is about {}. | 1 | ln($largest)
ln_rounds_to_infinity_from | From a score of about {} on, e to it rounds to infinity in fp16. | 1
    | ln($infinite)
""",
    "probe_last_row": """
largest_score | The largest score of the probe's last row is about {}. | 1 | max score
exp_in_fp16 | e to the largest score of the probe's last row, rounded to fp16, is {}. | 1
    | fp16(e^(max score))
fits | e to that score is a finite number in fp16: {}. | verdict | fp16(e^(max score)) is finite
""",
    "held_out": """
scores | The held-out sentences have {} scores. | scores | #{scores}
rows | The held-out sentences have {} rows of scores. | rows | #{rows}
largest_score | The largest held-out score is about {}. | 1 | max score
infinite_terms | e to {} of the held-out scores would be infinite in fp16 without subtracting the
    maximum. | scores | #{scores >= ln($infinite)}
above_largest_but_finite | e to {} of the held-out scores is more than fp16's largest number and
    still rounds to it. | scores | #{ln($largest) <= scores < ln($infinite)}
rows_with_infinite_term | {} held-out rows hold a term that would be infinite in fp16. | rows
    | #{rows with a score >= ln($infinite)}
rows_overflowing_in_total_only | {} held-out rows have finite fp16 terms and an infinite total.
    | rows | #{rows with finite terms and sum of fp16(e^score) >= $infinite}
""",
    "after_subtraction": """
largest_term | With the maximum subtracted, the largest term is {}. | 1
    | max e^(score - max score of its row)
terms_above_one | With the maximum subtracted, {} terms exceed one. | scores
    | #{e^(score - max score of its row) > 1}
""",
}


def claims(overflow: dict[str, Any]) -> list[Claim]:
    """Claim each figure of the overflow arithmetic."""
    words = {"largest": "(2 - 2^-10) 2^15", "infinite": "(2 - 2^-11) 2^15"}
    found: list[Claim] = []
    for part, rows in TABLES.items():
        values = {key: "infinity" if x is None else x for key, x in overflow[part].items()}
        found += OVERFLOW.table(f"overflow.{part}.{{}}", rows, values, words)
    return found


SECTION = Section(compute, claims, tensors=("probe.q", "probe.k", "held_out.q", "held_out.k"))
