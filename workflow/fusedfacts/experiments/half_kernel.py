"""A fused kernel in half precision, right or with one fault: what rules of others are tried on.

In float64 but for the roundings to half precision that are written out, so that bits do not
depend on a library's order of sums. A float32 kernel's own rounding is a thousandth of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np

from fusedfacts.attention.problem import Wide

Half = Literal["fp16", "bf16"]
DTYPES: dict[Half, Any] = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16}
KEY_ROWS = 16


@dataclass(frozen=True)
class Fault:
    """What is done wrong; nothing by default.

    Attributes
    ----------
    scale : callable or factor
        The scale is 1 / sqrt(d + added) times factor.
    scores, total, output : bool
        Whether each score, or the running total or output after each tile, is rounded to half.
    weights : Half or None
        A format in which weights meet values, if it is not the kernel's own.
    skipped, padded, shifted, unscaled : bool
        The last tile is left out; is filled up with keys of zeros that join the total; the values
        of the second tile are each the one after; the total is not scaled where a maximum rises.
    """

    added: int = 0
    factor: float = 1.0
    scores: bool = False
    total: bool = False
    output: bool = False
    weights: Half | None = None
    skipped: bool = False
    padded: bool = False
    shifted: bool = False
    unscaled: bool = False


def rounded(x: Wide, half: Half) -> Wide:
    """Round to half precision.

    >>> rounded(np.array([1 + 2.0**-9]), "bf16"), rounded(np.array([1 + 2.0**-9]), "fp16")
    (array([1.]), array([1.00195312]))
    """
    return x.astype(DTYPES[half]).astype(np.float64)


def fused(
    q: Wide, k: Wide, v: Wide, half: Half, fault: Fault, *, causal: bool
) -> tuple[Wide, Wide]:
    """Compute the answer of one head and its lse, tile by tile."""
    rows, keys = len(q), len(k)
    scale = fault.factor / math.sqrt(q.shape[1] + fault.added)
    running, total = np.full((rows, 1), -np.inf), np.zeros((rows, 1))
    output = np.zeros((rows, v.shape[1]))
    end = keys - keys % KEY_ROWS if fault.skipped else keys
    for first in range(0, end, KEY_ROWS):
        tile = slice(first, min(first + KEY_ROWS, keys))
        scores = q @ k[tile].T * scale
        if fault.scores:
            scores = rounded(scores, half)
        if causal:
            scores[np.arange(keys)[tile] > np.arange(rows)[:, None]] = -np.inf
        values = v[tile]
        if fault.shifted and first == KEY_ROWS:
            values = v[tile.start + 1 : tile.stop + 1]
        padding = KEY_ROWS - len(values) if fault.padded else 0
        highest = np.maximum(running, scores.max(axis=1, keepdims=True))
        if padding:
            highest = np.maximum(highest, 0)
        weights, shrink = np.exp(scores - highest), np.exp(running - highest)
        total = total if fault.unscaled else total * shrink
        total = total + weights.sum(axis=1, keepdims=True) + padding * np.exp(-highest)
        output = output * shrink + rounded(weights, fault.weights or half) @ values
        if fault.total:
            total = rounded(total, half)
        if fault.output:
            output = rounded(output, half)
        running = highest
    return rounded(output / total, half), (running + np.log(total))[:, 0]


def unfused(q: Wide, k: Wide, v: Wide, half: Half, *, causal: bool) -> Wide:
    """Compute attention as a framework does in half precision: each result is rounded."""
    scores = rounded(q @ rounded(k / math.sqrt(q.shape[1]), half).T, half)
    if causal:
        scores = np.where(np.tri(len(q), len(k), dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = rounded(weights / weights.sum(axis=1, keepdims=True), half)
    return rounded(shares @ v, half)
