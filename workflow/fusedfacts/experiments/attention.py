"""Plain and tiled attention on the model's own tensors, each within its bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fusedfacts.attention.compare import published, require_certified, require_equal
from fusedfacts.attention.error_bound import Bounded, attention_bounds
from fusedfacts.attention.problem import Problem, Rows, fused_key_rows
from fusedfacts.attention.tiled import tiled
from fusedfacts.claims.claim import MODEL_INPUTS, PROBE, Claim, Group, Section
from fusedfacts.emulator.methods import UNFUSED, Method
from fusedfacts.numerics import rounding


def methods(widths: Sequence[int]) -> dict[str, Method]:
    """Name what is compared: the unfused kernels, and the fused one at each width."""
    return {"plain": UNFUSED, **{f"tiled_{width}": Method("fused", width) for width in widths}}


def head_attention(q: Rows, k: Rows, v: Rows, widths: Sequence[int], name: str) -> dict[str, Any]:
    """Compare each method on one head, causal, and require that every bound says something."""
    orders = [method.order(q.shape[1]) for method in methods(widths).values()]
    bounded = attention_bounds(q, k, v, orders, causal=True)
    require_certified(bounded.certified, name)
    return compared(q, k, v, widths, bounded, name)


def compared(
    q: Rows,
    k: Rows,
    v: Rows,
    widths: Sequence[int],
    bounded: Bounded,
    name: str,
    *,
    causal: bool = True,
    round_up: Callable[[float, str], float] = rounding.up,
) -> dict[str, Any]:
    """Compare each method on one head with the exact answer; `bounded` has their bounds first.

    Raises
    ------
    ClaimError
        If an answer lies outside its bound, or the emulated fused kernel and the plain tiled
        reference differ in a bit.
    """
    size, found = Problem.of(q, causal=causal), {}
    for (label, method), bound in zip(methods(widths).items(), bounded.bounds, strict=False):
        answer = method.emulate(size, q, k, v).output
        if method.key_rows:
            plain = tiled(q, k, v, key_rows=method.key_rows, causal=causal).output
            what = f"{name}, width {method.key_rows}: bits"
            require_equal(answer.tobytes() == plain.tobytes(), True, what)
        found[label] = published(answer, bounded.exact, bound, f"{name}, {label}", round_up)
    return found


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
