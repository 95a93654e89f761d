"""Claims about fp16's limits and the model's scores."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import MODEL_INPUTS, Group

OVERFLOW = Group(
    "fusedfacts.experiments.overflow.results",
    MODEL_INPUTS,
    "The thresholds are had by exact arithmetic, and agree with every term rounded to fp16.",
    "The model computes in float32 and subtracts the maximum, so it never overflows; this counts"
    " what would happen in fp16 without the subtraction.",
)

STATEMENTS = (
    ("fp16.largest", "The largest number of fp16 is {}.", "1"),
    (
        "fp16.rounds_to_infinity_from",
        "Rounding to fp16 gives infinity from {} on, since the tie goes to it.",
        "1",
    ),
    ("fp16.ln_largest", "The natural logarithm of fp16's largest number is about {}.", "1"),
    (
        "fp16.ln_rounds_to_infinity_from",
        "From a score of about {} on, e to it rounds to infinity in fp16.",
        "1",
    ),
    ("probe_last_row.largest_score", "The largest score of the probe's last row is about {}.", "1"),
    (
        "probe_last_row.exp_in_fp16",
        "e to the largest score of the probe's last row, rounded to fp16, is {}.",
        "1",
    ),
    (
        "probe_last_row.fits",
        "e to that score is a finite number in fp16: {}.",
        "verdict",
    ),
    ("held_out.scores", "The held-out sentences have {} scores.", "scores"),
    ("held_out.rows", "The held-out sentences have {} rows of scores.", "rows"),
    ("held_out.largest_score", "The largest held-out score is about {}.", "1"),
    (
        "held_out.infinite_terms",
        "Of the held-out scores, {} would give infinity in fp16 without subtracting the maximum.",
        "scores",
    ),
    (
        "held_out.above_largest_but_finite",
        "{} held-out scores give more than fp16's largest number and still round to it.",
        "scores",
    ),
    (
        "held_out.rows_with_infinite_term",
        "{} held-out rows hold a term that would be infinite in fp16.",
        "rows",
    ),
    (
        "held_out.rows_overflowing_in_total_only",
        "{} held-out rows have finite fp16 terms and an infinite total.",
        "rows",
    ),
    (
        "after_subtraction.largest_term",
        "With the maximum subtracted, the largest term is {}.",
        "1",
    ),
    (
        "after_subtraction.terms_above_one",
        "With the maximum subtracted, {} terms exceed one.",
        "scores",
    ),
)


def claims(overflow: dict[str, Any]) -> list[dict[str, Any]]:
    """One claim for each figure of the overflow arithmetic."""
    found = []
    for path, statement, unit in STATEMENTS:
        section, key = path.split(".")
        value = overflow[section][key]
        found.append(
            OVERFLOW.claim(
                f"overflow.{path}", statement, "infinity" if value is None else value, unit
            )
        )
    return found
