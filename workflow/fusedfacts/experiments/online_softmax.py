"""Online softmax on seeded rows of several kinds, and how often a maximum rises."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from fusedfacts.attention.compare import figures
from fusedfacts.attention.online_softmax import check_rows, inputs, one_pass
from fusedfacts.attention.problem import Rows, Scores
from fusedfacts.claims.claim import MILAKOV, MODEL_INPUTS, Claim, Group, Section
from fusedfacts.errors import ClaimError
from fusedfacts.model.probe import causal_scores
from fusedfacts.numerics import rng
from fusedfacts.numerics.rounding import decimals

# A mean of records this many standard errors from the law would come once in 15,000 seeds.
DEVIATIONS = 4
RECORD_STREAM = 2
RECORD_DECIMALS = 3
LAW_DECIMALS = 1  # of an expected count of tens of thousands


def _checked(scores: Scores, name: str) -> dict[str, Any]:
    """Publish the one pass over rows of scores, and how often a maximum rises after the first."""
    seen, found = check_rows(scores)
    return {**figures(seen, name), "rises": int((found.records - 1).sum())}


def kind_results(seed: int, rows: int, length: int) -> dict[str, Any]:
    """Compute for each kind of input its size, error, bound, ratio and rises."""
    return {
        kind: {
            **_checked(scores, f"one pass, {kind}"),
            "rows": int(scores.shape[0]),
            "length": int(scores.shape[1]),
        }
        for kind, scores in inputs(seed, rows, length).items()
    }


def harmonic(n: int, power: int = 1) -> Fraction:
    """Compute H_n, the sum of 1/i^power for i from 1 to n, exactly.

    >>> harmonic(4)
    Fraction(25, 12)
    """
    return sum((Fraction(1, i**power) for i in range(1, n + 1)), Fraction())


def _records(seed: int, rows: int, length: int) -> dict[str, Any]:
    records = int(one_pass(rng.normal(seed, RECORD_STREAM, (rows, length))).records.sum())
    mean, law = Fraction(records, rows), harmonic(length)
    variance = law - harmonic(length, 2)
    if (mean - law) ** 2 > DEVIATIONS**2 * variance / rows:
        raise ClaimError(
            f"record law: rows of {length} have {float(mean):.3f} records on average,"
            f" expected {float(law):.3f} within {DEVIATIONS} standard errors"
        )
    return {
        "n": length,
        "rows": rows,
        "records": records,
        "mean_records": decimals(mean, RECORD_DECIMALS),
        "harmonic_number": decimals(law, RECORD_DECIMALS),
    }


def record_results(seed: int, rows: int, lengths: list[int]) -> list[dict[str, Any]]:
    """Compare mean records of random rows with H_n, the law for rows in random order.

    The number of records of n values in random order has mean H_n and variance
    H_n - sum 1/i^2 (Renyi 1962).

    Raises
    ------
    ClaimError
        If a mean lies more than `DEVIATIONS` standard errors from the law.
    """
    return [_records(seed, rows, length) for length in lengths]


def one_pass_results(q: Rows, k: Rows) -> dict[str, Any]:
    """Run the one pass over every causal row of scores of (sentences, heads, n, d) tensors."""
    scores = causal_scores(q, k)
    *tables, n, _ = scores.shape
    seen = [
        _checked(
            np.ascontiguousarray(scores[..., length - 1, :length].reshape(-1, length)),
            f"one pass, model rows of {length} scores",
        )
        for length in range(1, n + 1)
    ]
    count = int(np.prod(tables))
    # The first score of a row is a record but no rise.
    law = sum((harmonic(length) - 1 for length in range(1, n + 1)), Fraction()) * count
    return {
        **max(seen, key=lambda rows: float(rows["largest_error"])),  # with the bound there
        "largest_ratio": max(rows["largest_ratio"] for rows in seen),
        "rows": count * n,
        "rises": sum(row["rises"] for row in seen),
        "rises_by_record_law": decimals(law, LAW_DECIMALS),
    }


def compute(
    q: Rows,
    k: Rows,
    *,
    seed: int,
    online_rows: int,
    online_length: int,
    record_rows: int,
    record_lengths: list[int],
) -> dict[str, Any]:
    """Compute the section: seeded kinds, the record law, and all rows of the held-out sentences."""
    return {
        "kinds": kind_results(seed, online_rows, online_length),
        "record_law": record_results(seed, record_rows, record_lengths),
        "model_rows": one_pass_results(q, k),
    }


ONE_PASS = Group(
    "fusedfacts.experiments.online_softmax.kind_results",
    ("settings.seed", "settings.online_rows", "settings.online_length"),
    "Every share is held against a float64 softmax, within a bound derived for that share.",
    "It holds for these seeded rows; the method is theirs, the bound and check are ours.",
    MILAKOV,
)
RECORDS = Group(
    "fusedfacts.experiments.online_softmax.record_results",
    ("settings.seed", "settings.record_rows", "settings.record_lengths"),
    "The mean over seeded rows is held against the law, within a few of its standard errors.",
    "The law is for values in random order; a model's scores need not follow it.",
)
ONE_PASS_MODEL = Group(
    "fusedfacts.experiments.online_softmax.one_pass_results",
    MODEL_INPUTS,
    "Every share is held against a float64 softmax, within a bound derived for that share.",
    "It holds for this model's held-out rows in this order of arithmetic.",
    MILAKOV,
)
RECORDS_MODEL = Group(
    "fusedfacts.experiments.online_softmax.one_pass_results",
    MODEL_INPUTS,
    "The rises are counted as they come; what the law expects is exact arithmetic on fractions.",
    "The law is for scores in random order; how far the model is from it says nothing about any"
    " other model.",
)
SEEDED = """
rises | In $what the running maximum rises {} times. | rises
    | #{scores above all before them, but each row's first}
"""
MODEL_ROWS = """
rows | One-pass softmax on the model's held-out rows goes over {} rows. | rows | #{rows}
rises | One-pass softmax on the model's held-out rows sees the maximum rise {} times. | rises
    | #{scores above all before them, but each row's first}
"""
MODEL_LAW = """
rises_by_record_law | Were the scores of each held-out row in random order, about {} rises would be
    expected. | rises | sum over rows of (sum of 1 / i for i from 1) - 1
"""
LAW = """
mean | Rows of $n random scores set about {} maxima each, the first included. | records
    | #{maxima set} / #{rows}
law | The record law expects about {} maxima set in $n scores. | records
    | sum of 1 / i for i from 1 to n
"""


def claims(online: dict[str, Any]) -> list[Claim]:
    """Claim what the seeded kinds, the model's rows and the record law gave."""
    found: list[Claim] = []
    for kind, seen in online["kinds"].items():
        words = f"one-pass softmax on {kind.replace('_', ' ')} rows"
        found += ONE_PASS.compared(f"online.{kind}", words, seen)
        found += ONE_PASS.table(f"online.{kind}.{{}}", SEEDED, seen, {"what": words})
    seen, words = online["model_rows"], "one-pass softmax on the model's held-out rows"
    found += ONE_PASS_MODEL.compared("online.model", words, seen)
    found += ONE_PASS_MODEL.table("online.model.{}", MODEL_ROWS, seen)
    found += RECORDS_MODEL.table("online.model.{}", MODEL_LAW, seen)
    for law in online["record_law"]:
        n, values = law["n"], {"mean": law["mean_records"], "law": law["harmonic_number"]}
        found += RECORDS.table(f"online.records.{{}}.n{n}", LAW, values, {"n": f"{n:,}"})
    return found


SECTION = Section(
    compute,
    claims,
    tensors=("held_out.q", "held_out.k"),
    settings=("seed", "online_rows", "online_length", "record_rows", "record_lengths"),
)
