"""Heads of one's own model: online softmax, attention, the control and overflow on each of them.

What a head cannot show is said and stops nothing: no fault of rescaling where every maximum lies in
the first key tile, nothing of attention where no bound is certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from fusedfacts.attention import online_softmax
from fusedfacts.attention.arithmetic import fused_order
from fusedfacts.attention.compare import Comparison, compare, figures
from fusedfacts.attention.error_bound import Bounded, attention_bounds
from fusedfacts.attention.problem import Problem, Rows, fused_key_rows
from fusedfacts.attention.tiled import scores as scores_of
from fusedfacts.attention.tiled import tiled
from fusedfacts.claims.claim import Section
from fusedfacts.documents import repository
from fusedfacts.experiments import attention, control, heads_file
from fusedfacts.experiments.heads_claims import claims
from fusedfacts.experiments.online_softmax import LAW_DECIMALS, harmonic
from fusedfacts.numerics.rounding import decimals, up_past
from fusedfacts.pipeline import config as settings
from fusedfacts.tensor_check import scores as computed_scores

BLOCK_ROWS = 256  # of scores at a time, so that memory grows with n
EXACT_UP_TO = 2.0**24  # a larger score is a whole number as float32 holds it
WORK_PER_MINUTE = 1e9  # n^2 d of one method on one head, ten times slower than measured
ROW_LISTS = ("row_has_late_maximum", "row_is_wrong")  # thousands of them say no more than counts


def rises_by_record_law(n: int, causal: bool) -> float:
    """Expect the rises of n rows in random order; a row's first score is a record but no rise.

    >>> rises_by_record_law(2, False), rises_by_record_law(2, True)
    (1.0, 0.5)
    """
    # Causal rows have 1 to n scores, and H_1 + ... + H_n = (n + 1) H_n - n.
    records = (n + 1) * harmonic(n) - n if causal else n * harmonic(n)
    return decimals(records - n, LAW_DECIMALS)


def one_pass(q: Rows, k: Rows, causal: bool, name: str) -> dict[str, Any]:
    """Run the one pass over every row of scores, which must be finite, and count the rises."""
    n, d = q.shape
    scaled, seen, rises = q * Problem(n, d).float32_scale, [], 0
    for first in range(0, n, BLOCK_ROWS):
        rows = np.arange(first, min(first + BLOCK_ROWS, n))
        keys = np.arange(rows[-1] + 1 if causal else n)
        scores = scores_of(scaled[rows], k[keys])
        if causal:  # a masked score adds a weight of exactly 0 and is no rise
            scores = np.where(keys > rows[:, None], np.float32(-np.inf), scores)
        compared, found = online_softmax.check_rows(scores)
        seen.append(compared)
        rises += int((found.records - 1).sum())
    worst = max(seen, key=lambda block: block.largest_error)
    whole = Comparison(
        np.concatenate([block.wrong.any(axis=1, keepdims=True) for block in seen]),
        worst.largest_error,
        worst.bound_there,
        max(block.largest_ratio for block in seen),
    )
    return {
        **figures(whole, name, round_up=up_past),
        "rows": n,
        "rises": rises,
        "rises_by_record_law": rises_by_record_law(n, causal),
    }


def overflow(q: Rows, k: Rows, causal: bool) -> dict[str, Any]:
    """Count what would overflow in fp16 without subtracting the maximum, and what in float32."""
    found = computed_scores.figures(q, k, Problem.of(q, causal=causal))
    largest = found["largest_score"]
    if largest is not None and abs(largest) < EXACT_UP_TO:
        largest = decimals(largest)
    lost = found["float32"]["scores_overflowing"]
    return {**found["fp16"], "largest_score": largest, "overflowing_float32": lost}


def broken_rescale(
    q: Rows, k: Rows, v: Rows, key_rows: int, bounded: Bounded, causal: bool, name: str
) -> dict[str, Any]:
    """Put the control to one head; `bounded` has the bound of its order last."""
    compared = partial(compare, exact=bounded.exact, bound=bounded.bounds[-1])
    right = tiled(q, k, v, key_rows=key_rows, causal=causal)
    control.require_right(right, compared, name)
    broken = tiled(q, k, v, key_rows=key_rows, causal=causal, faults=control.BROKEN)
    found = control.broken_results(broken, right, compared, name, up_past)
    return {
        **{key: found[key] for key in found if key not in ROW_LISTS},
        "cannot_show": control.cannot_show(found),
    }


def head_results(
    q: Rows,
    k: Rows,
    v: Rows,
    *,
    widths: Sequence[int],
    control_key_rows: int,
    causal: bool,
    name: str,
) -> dict[str, Any]:
    """Compute all that is said of one head, tensors of shape (n, d).

    Raises
    ------
    ClaimError
        If an answer with a certified bound lies outside of it, or two computations disagree.
    """
    d = q.shape[1]
    orders = [method.order(d) for method in attention.methods(widths).values()]
    orders.append(fused_order(d, control_key_rows))
    bounded = attention_bounds(q, k, v, orders, causal=causal)
    at_risk = overflow(q, k, causal)
    finite = at_risk["overflowing_float32"] == 0
    certified = finite and all(bounded.certified)
    compared = partial(attention.compared, causal=causal, round_up=up_past)
    return {
        "certified": certified,
        "online": one_pass(q, k, causal, f"{name}, one pass") if finite else None,
        "attention": compared(q, k, v, widths, bounded, name) if certified else None,
        "control": broken_rescale(q, k, v, control_key_rows, bounded, causal, f"{name}, control")
        if certified
        else None,
        "overflow": at_risk,
    }


def compute(
    *,
    heads: str,
    heads_sha256: str,
    heads_causal: bool,
    control_key_rows: int,
    model_key_rows: Sequence[int],
) -> dict[str, Any]:
    """Compute the section, one head of the file at a time."""
    path = settings.model_file(heads, repository.ROOT)
    with heads_file.opened(path, heads_sha256) as found:
        widths = sorted({*model_key_rows, fused_key_rows(found.d)})
        return {
            "file": {"path": settings.shown_path(heads), "sha256": heads_sha256},
            "causal": heads_causal,
            "n": found.n,
            "d": found.d,
            "key_rows": widths,
            "control_key_rows": control_key_rows,
            "heads": [
                head_results(
                    *(found.head(tensor, h) for tensor in "qkv"),
                    widths=widths,
                    control_key_rows=control_key_rows,
                    causal=heads_causal,
                    name=f"heads, head {h}",
                )
                for h in range(found.heads)
            ],
        }


def minutes(path: str, config: dict[str, Any]) -> int:
    """Refuse a wrong file before anything runs, and say how many minutes a right one may take."""
    with heads_file.opened(path, config["heads_sha256"]) as found:
        # Unfused, the kernel's own tile, and the control, right and broken.
        methods = len(config["model_key_rows"]) + 4
        return 5 + ceil(found.heads * methods * found.n**2 * found.d / WORK_PER_MINUTE)


SECTION = Section(
    compute,
    claims,
    settings=("heads", "heads_sha256", "heads_causal", "control_key_rows", "model_key_rows"),
)
