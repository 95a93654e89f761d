"""Who sees what in half precision: faults against the rules by which kernels are judged today.

Each fault is planted in a fused kernel, on heads of two public models (`recorded`); each rule is a
measure with a limit, and sees the fault where it is exceeded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.problem import Wide
from fusedfacts.claims.claim import Claim, Group, Section, cells
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import recorded
from fusedfacts.experiments.half_kernel import KEY_ROWS, Fault, Half, fused, rounded, unfused
from fusedfacts.judging.head import Problem
from fusedfacts.judging.recipe import RECIPES

STORED: dict[Half, str] = {"fp16": "float16", "bf16": "bfloat16"}
FAULTS = {
    "scale_of_d_plus_1": Fault(added=1),
    "scale_slightly_off": Fault(factor=1.002),
    "output_kept_in_half": Fault(output=True),
    "total_kept_in_half": Fault(total=True),
    "scores_in_half": Fault(scores=True),
    "weights_in_bf16": Fault(weights="bf16"),
    "last_tile_skipped": Fault(skipped=True),
    "padding_counted": Fault(padded=True),
    "values_off_by_one": Fault(shifted=True),
    "total_not_rescaled": Fault(unscaled=True),
}
WHAT = {
    "scale_of_d_plus_1": "the scale is 1 / sqrt(d + 1)",
    "scale_slightly_off": "the scale is 0.2 % too large",
    "output_kept_in_half": "the running output is rounded after each tile",
    "total_kept_in_half": "the running total is rounded after each tile",
    "scores_in_half": "scores are rounded",
    "weights_in_bf16": "weights are rounded to bf16",
    "last_tile_skipped": "the last, ragged tile is skipped",
    "padding_counted": "keys of zeros that fill the last tile are counted in the total",
    "values_off_by_one": "values of the second tile are each the one after",
    "total_not_rescaled": "the running total keeps its scale when the maximum rises",
}
# Rule, in words, what exceeds its limit, and who judges so. o is the answer, r the exact one, h
# that of attention with each result rounded to half precision; r' is r rounded so.
TABLE = """
bound_on_output | the proved bound on the answer | abs(o - r) / B above 1 in some element
    | this project, docs/error-bound.md
bound_on_lse | the proved bound on the lse | abs(lse - exact) / its bound above 1 in some row
    | this project, docs/error-bound.md
twice_half | at most twice the largest error of a reference in half precision
    | max abs(o - r') above 2 max abs(h - r') | the tests of flash-attention
twice_half_and_more | the same, and the error of adding and subtracting 0.3
    | max abs(o - r') above 2 max abs(h - r') + 2 max abs(r' + 0.3 - 0.3 - r')
    | the later tests of flash-attention
mean | a mean error of at most 1.1 times that of a reference in half precision
    | mean abs(o - r) above 1.1 mean abs(h - r) | PyTorch's tests of flex_attention
absolute | no error above 0.01 | max abs(o - r) above 0.01 | tests with allclose and atol 1e-2
cosine | a cosine above 0.999 | o . r at most 0.999 norm(o) norm(r)
    | tests with a cosine similarity
"""
RULES = {
    name: {"plain": plain, "sees": sees, "source": source}
    for name, plain, sees, source in cells(TABLE)
}
RIGHT = "none"  # of the faults
OURS = ("bound_on_output", "bound_on_lse")
# Nearer to its limit than this no verdict is published: it could be another on another machine.
MARGIN = 1e-9


class Exact(NamedTuple):
    """What an answer is held to, one head in one precision."""

    output: Wide
    bound: Wide
    lse: Wide
    lse_bound: Wide
    reference: Wide
    half: Half


def heads() -> Iterator[tuple[Wide, Wide, Wide, bool]]:
    """Give q, k and v of each head of the public models, and whether it is causal."""
    for call in recorded.recorded():
        if call.model:
            tensors, causal = call.checked(), bool(call.options)
            for index in range(tensors.heads):
                q, k, v = (tensors.part(name, index).astype(np.float64) for name in "qkv")
                yield q, k, v, causal


def exactly(q: Wide, k: Wide, v: Wide, half: Half, *, causal: bool) -> Exact:
    """Compute the exact answer, its bound in that precision, and the reference in half."""
    pattern = Pattern(len(q), len(k), q.shape[1], causal=causal)
    parts = list(Problem(q, k, v, pattern, STORED[half]).blocks(RECIPES[half]))
    output, lse = (np.concatenate([getattr(b, x) for b, _ in parts]) for x in ("output", "lse"))
    bound, lse_bound = (
        np.concatenate([getattr(b, x) for _, b in parts]) for x in ("output", "lse")
    )
    return Exact(output, bound, lse, lse_bound, unfused(q, k, v, half, causal=causal), half)


def measures(output: Wide, lse: Wide, exact: Exact) -> dict[str, float]:
    """Compute by how many times an answer exceeds each rule's limit: seen where above 1."""
    r = rounded(exact.output, exact.half)
    error, allowed = np.abs(output - r), np.abs(exact.reference - r)
    arithmetic = rounded(rounded(r + 0.3, exact.half) - 0.3, exact.half)
    more = 2 * float(np.abs(arithmetic - r).max())
    cosine = float((output * exact.output).sum()) / math.sqrt(
        float((output**2).sum()) * float((exact.output**2).sum())
    )
    return {
        "bound_on_output": float((np.abs(output - exact.output) / exact.bound).max()),
        "bound_on_lse": float((np.abs(lse - exact.lse) / exact.lse_bound).max()),
        "twice_half": float(error.max() / (2 * allowed.max())),
        "twice_half_and_more": float(error.max() / (2 * allowed.max() + more)),
        "mean": float(
            np.abs(output - exact.output).mean()
            / (1.1 * np.abs(exact.reference - exact.output).mean())
        ),
        "absolute": float(np.abs(output - exact.output).max() / 0.01),
        "cosine": (1 - cosine) / (1 - 0.999),
    }


def compute() -> dict[str, Any]:
    """Count for each precision and fault the heads on which each rule sees it.

    Raises
    ------
    ClaimError
        If a proved bound does not hold of a right kernel, or a measure lies at its limit.
    """
    given = list(heads())
    seen: dict[str, Any] = {half: {} for half in STORED}
    alone: dict[str, Any] = {half: {} for half in STORED}
    for half in STORED:
        exacts = []
        for q, k, v, causal in given:
            q, k, v = (rounded(x, half) for x in (q, k, v))
            exacts.append((q, k, v, causal, exactly(q, k, v, half, causal=causal)))
        for name, fault in {RIGHT: Fault(), **FAULTS}.items():
            if fault.weights == half:
                continue  # it is no fault there
            by_head = [
                verdicts(measures(*fused(q, k, v, half, fault, causal=causal), exact), name)
                for q, k, v, causal, exact in exacts
            ]
            missed = [not any(head[rule] for rule in OURS) for head in by_head]
            seen[half][name] = {rule: sum(head[rule] for head in by_head) for rule in RULES}
            if name != RIGHT:
                alone[half][name] = {
                    rule: sum(head[rule] and m for head, m in zip(by_head, missed, strict=True))
                    for rule in RULES
                    if rule not in OURS
                }
        if any(seen[half][RIGHT][rule] for rule in OURS):
            raise ClaimError(
                f"rules: a right kernel in {half} exceeds a proved bound, expected none to; mend"
                " the bound or the kernel"
            )
    return {
        "heads": len(given),
        "key_rows": KEY_ROWS,
        "faults": WHAT,
        "rules": RULES,
        "seen": seen,
        "seen_by_it_alone": alone,
    }


def verdicts(measured: dict[str, float], name: str) -> dict[str, bool]:
    """Tell which rules see a fault: those whose limit is exceeded.

    Raises
    ------
    ClaimError
        If a measure lies so near to its limit that another machine might say otherwise.
    """
    for rule, value in measured.items():
        if 0 < abs(value - 1) < MARGIN:  # equal where both are sums of few binary digits
            raise ClaimError(f"rules: {name}: {rule} found {value!r}, at its limit; record others")
    return {rule: value > 1 for rule, value in measured.items()}


GROUP = Group(
    "fusedfacts.experiments.rules.compute",
    ("real.recorded_sha256",),
    "A right kernel was judged by the same rules, and the proved bounds were required to hold of"
    " it on every head.",
    "It counts what rules see of these faults on these heads: another rule may see others, and"
    " longer sentences add up more roundings.",
)
TRIED = """
heads | The rules are tried on {} recorded heads. | heads | #{heads}
key_rows | The kernel in which faults are planted has key tiles of {} words. | rows | as chosen
"""
SEEN = """
$rule | $in_half, $words, of $heads heads {} $verb by this rule: $plain. | heads
    | #{heads with $sees}
"""
ALONE = """
$rule | $in_half, $words, of $heads heads {} are seen by this rule and by neither proved bound:
    $plain. | heads | #{heads with $sees, and within both bounds}
"""


def claims(section: dict[str, Any]) -> list[Claim]:
    """Claim of each rule on how many heads it sees each fault, and where it sees more than ours."""
    found = GROUP.table("rules.{}", TRIED, section)
    for half, faults in section["seen"].items():
        for name, counts in faults.items():
            what = section["faults"].get(name)
            words = {
                "in_half": f"In {half}",
                "heads": section["heads"],
                "words": f"where {what}" if what else "of a right kernel",
                "verb": "are seen" if what else "are called wrong",
            }
            for rule, count in counts.items():
                said = {**section["rules"][rule], "rule": rule, **words}
                at = f"rules.{name}.{half}.{{}}"
                found += GROUP.table(at, SEEN, {rule: count}, said)
                more = section["seen_by_it_alone"][half].get(name, {}).get(rule)
                at = f"rules.alone.{name}.{half}.{{}}"
                found += GROUP.table(at, ALONE, {rule: more or None}, said)
    return found


SECTION = Section(compute, claims, files=recorded.PATTERNS)
