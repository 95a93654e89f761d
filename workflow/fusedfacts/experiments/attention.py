"""Plain and tiled attention on the model's own tensors, each within its bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fusedfacts.attention.arithmetic import fused_order, unfused_order
from fusedfacts.attention.compare import (
    compare,
    figures,
    require_certified,
    require_equal,
    smallest_faults_seen,
)
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Rows, fused_key_rows
from fusedfacts.attention.tiled import tiled
from fusedfacts.claims.claim import MODEL_INPUTS, PROBE, Claim, Group, Section
from fusedfacts.emulator import launch


def head_attention(q: Rows, k: Rows, v: Rows, widths: Sequence[int], name: str) -> dict[str, Any]:
    """One head of one sentence, causal: the unfused kernels, the fused one, and tile widths.

    Raises
    ------
    ClaimError
        If an answer lies outside its bound, or the emulated fused kernel and the plain tiled
        reference differ in a bit.
    """
    d = q.shape[1]
    orders = [unfused_order(d), *(fused_order(d, width) for width in widths)]
    bounded = attention_bounds(q, k, v, orders, causal=True)
    require_certified(bounded.certified, name)
    answers = [launch.unfused(q, k, v, causal=True).output]
    for width in widths:
        answer = tiled(q, k, v, key_rows=width, causal=True).output
        emulated = launch.fused(q, k, v, causal=True, key_rows=width).output
        require_equal(emulated.tobytes() == answer.tobytes(), True, f"{name}, width {width}: bits")
        answers.append(answer)
    labels = ["plain", *(f"tiled_{width}" for width in widths)]
    return {
        label: {
            **figures(compare(answer, bounded.exact, bound), f"{name}, {label}"),
            "smallest_fault_seen": smallest_faults_seen(answer, bounded.exact, bound),
        }
        for label, answer, bound in zip(labels, answers, bounded.bounds, strict=True)
    }


def compute(q: Rows, k: Rows, v: Rows, *, model_key_rows: Sequence[int]) -> dict[str, Any]:
    """Compute every head of the probe, tensors of shape (heads, n, d)."""
    widths = sorted({*model_key_rows, fused_key_rows(q.shape[-1])})
    heads = [
        head_attention(*qkv, widths, f"model attention, head {h}")
        for h, qkv in enumerate(zip(q, k, v, strict=True))
    ]
    return {"key_rows": widths, "heads": heads}


ATTENTION = Group(
    "fusedfacts.experiments.attention.compute",
    (*MODEL_INPUTS, "settings.model_key_rows"),
    "Every element is held against a float64 answer, within the bound derived for that element.",
    "It holds for a single sentence of this model; the bound is a worst case derived here.",
)
LABELS = {"plain": "unfused attention", "tiled": "attention in key tiles of {} rows"}
WORST = """
largest_error | No error of attention on the probe, on any head either way, exceeds {}. | 1
    | max over heads and ways of max |x^ - x|
largest_ratio | No error of attention on the probe, on any head either way, exceeds {} of its own
    bound. | 1 | max over heads and ways of max (|x^ - x| / bound)
"""


def claims(attention: dict[str, Any]) -> list[Claim]:
    """Claim how near each computation of each head is, and how near all are."""
    found: list[Claim] = []
    for h, head in enumerate(attention["heads"]):
        for label, seen in head.items():
            method, *rows = label.split("_")
            words = f"{LABELS[method].format(*rows)} on head {h} of the probe"
            found += ATTENTION.compared(f"attention.head{h}.{label}", words, seen)
    every = [seen for head in attention["heads"] for seen in head.values()]
    worst = {key: max(seen[key] for seen in every) for key in ("largest_error", "largest_ratio")}
    return found + ATTENTION.table("attention.{}", WORST, worst, bounded=True)


SECTION = Section(compute, claims, tensors=PROBE, settings=("model_key_rows",))
