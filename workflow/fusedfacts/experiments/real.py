"""Other people's kernels, held to their bounds: what they answered, by which recipe it holds.

A call is judged by the recipe of its formats and by those that say what its kernel does, where
that is more. The rule, and what stops the build: it holds by each of the latter and not by the
former, or by the former where there is no other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fusedfacts.claims.claim import Claim, Group, Section
from fusedfacts.documents import repository
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import recorded
from fusedfacts.experiments.recorded import PATTERNS, Call
from fusedfacts.judging.head import Head
from fusedfacts.numerics import rounding


def key(name: str) -> str:
    """Write a name as a key of facts.json.

    >>> key("onnxruntime-Attention-23-fp16"), key("torch-fp16.toml")
    ('onnxruntime_attention_23_fp16', 'torch_fp16')
    """
    return name.removesuffix(".toml").replace("-", "_").replace(".", "_").lower()


def sha256(root: Path = repository.ROOT) -> str:
    """Compute the hash of all that was recorded: of each file's name and bytes."""
    found = hashlib.sha256()
    for pattern in PATTERNS:
        for path in sorted(root.glob(pattern)):
            found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def figures(heads: Sequence[Head], name: str) -> dict[str, Any]:
    """Take verdict and largest ratios over all heads."""
    ratios: dict[str, float | None] = {}
    for what in ("output", "lse"):
        held = [part for head in heads if (part := getattr(head, what)) is not None]
        worst = max((part.largest_ratio for part in held), default=None)
        ratios[what] = None if worst is None else rounding.up_past(worst, f"{name}: {what}")
    return {"holds": {head.verdict for head in heads} == {"holds"}, **ratios}


def judged(call: Call) -> dict[str, Any]:
    """Judge one call by all its recipes, and where it matters by the other alignment.

    Raises
    ------
    ClaimError
        If it does not hold where it should, or by a recipe that says less than its own.
    """
    found = {
        key(recipe.name): figures(call.judged(recipe), f"real: {call.name}")
        for recipe in call.sought
    }
    formats, *others = [(name, each["holds"]) for name, each in found.items()]
    for name, holds in [*others, (formats[0], formats[1] != bool(others))]:
        if not holds:
            raise ClaimError(
                f"real: {call.name}, expected to hold by {' and '.join(dict(others)) or name}"
                f"{f' and not by {formats[0]}' if others else ''}, found"
                f" {', '.join(f'{n} {each}' for n, each in found.items())}"
            )
    other = call.other_alignment
    apart = None
    if other:
        wrong = call.judged(call.sought[-1], causal=other)
        apart = figures(wrong, f"real: {call.name}, {other}")["output"]
    sizes = call.checked().sizes
    return {
        **{what: getattr(call, what) for what in ("library", "version", "kernel", "precision")},
        "called": call.called,
        "model": call.model["name"] if call.model else None,
        **{what: getattr(sizes, what) for what in ("heads", "kv_heads", "n_q", "n_k", "d")},
        "judged": found,
        "aligned": call.options.get("causal"),
        "aligned_otherwise": apart,
    }


def compute() -> dict[str, Any]:
    """Judge all recorded calls."""
    return {
        "recorded_sha256": sha256(),
        "calls": {key(call.name): judged(call) for call in recorded.recorded()},
    }


GROUP = Group(
    "fusedfacts.experiments.real.compute",
    ("real.recorded_sha256",),
    "Each element was held to its bound, and a call by the recipe that says less than its kernel"
    " does was required not to hold.",
    "It is one call on one machine, of the version that is named: another input, machine or version"
    " may take another path through the library.",
)
JUDGED = """
output | Of $call, judged by $recipe, no error of the answer exceeds {} of its bound. | 1
    | max (abs(o - exact) / bound)
lse | Of $call, judged by $recipe, no error of the lse exceeds {} of its bound. | 1
    | max (abs(lse - exact) / bound)
"""
HOLDS = """
holds | $call lies within the bounds of $recipe: {}. | verdict | error <= bound for every element
"""
APART = """
aligned_otherwise | Of $call, aligned otherwise than $aligned, the largest error is {} of its bound.
    | 1 | max (abs(o - exact) / bound)
"""


def claims(section: dict[str, Any]) -> list[Claim]:
    """Claim verdict and ratios of each call by each recipe."""
    found: list[Claim] = []
    for name, call in section["calls"].items():
        said = f"{call['library']} {call['version']}, {call['kernel']} in {call['precision']}"
        said += f" on heads of {call['model']}" if call["model"] else ""
        for recipe, each in call["judged"].items():
            words = {"call": said, "recipe": recipe}
            at = f"real.{name}.{recipe}.{{}}"
            found += GROUP.table(at, JUDGED, each, words, bounded=True)
            found += GROUP.table(at, HOLDS, each, words)
        words = {"call": said, "aligned": call["aligned"]}
        found += GROUP.table(f"real.{name}.{{}}", APART, call, words, bounded=True)
    return found


SECTION = Section(compute, claims, files=PATTERNS)
