"""Online softmax on seeded rows of several kinds, and how often a maximum rises."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fusedfacts.attention.compare import figures
from fusedfacts.attention.online_softmax import check_rows, inputs, one_pass
from fusedfacts.errors import ClaimError
from fusedfacts.numerics import rng
from fusedfacts.numerics.rounding import decimals

# A mean of records this many standard errors from the law would come once in 15,000 seeds.
DEVIATIONS = 4
RECORD_STREAM = 2
RECORD_DECIMALS = 3


def kind_results(seed: int, rows: int, length: int) -> dict[str, Any]:
    """Each kind of input: its size, error, bound, ratio and rises."""
    kinds: dict[str, Any] = {}
    for kind, scores in inputs(seed, rows, length).items():
        seen, found = check_rows(scores)
        kinds[kind] = {
            **figures(seen, f"one pass, {kind}"),
            "rows": int(scores.shape[0]),
            "length": int(scores.shape[1]),
            "rises": int((found.records - 1).sum()),
        }
    return kinds


def harmonic(n: int, power: int = 1) -> Fraction:
    """H_n, the sum of 1/i^power for i from 1 to n, exactly.

    >>> harmonic(4)
    Fraction(25, 12)
    """
    return sum((Fraction(1, i**power) for i in range(1, n + 1)), Fraction(0))


def record_results(seed: int, rows: int, lengths: list[int]) -> list[dict[str, Any]]:
    """Mean records of random rows against H_n, the law for rows in random order.

    The number of records of n values in random order has mean H_n and variance
    H_n - sum 1/i^2 (Renyi 1962).

    Raises
    ------
    ClaimError
        If a mean lies more than `DEVIATIONS` standard errors from the law.
    """
    found: list[dict[str, Any]] = []
    for length in lengths:
        records = int(one_pass(rng.normal(seed, RECORD_STREAM, (rows, length))).records.sum())
        law = harmonic(length)
        variance = law - harmonic(length, 2)
        mean = Fraction(records, rows)
        if (mean - law) ** 2 > DEVIATIONS**2 * variance / rows:
            raise ClaimError(
                f"record law: rows of {length} have {float(mean):.3f} records on average,"
                f" expected {float(law):.3f} within {DEVIATIONS} standard errors"
            )
        found.append(
            {
                "n": length,
                "rows": rows,
                "records": records,
                "mean_records": decimals(mean, RECORD_DECIMALS),
                "harmonic_number": decimals(law, RECORD_DECIMALS),
            }
        )
    return found
