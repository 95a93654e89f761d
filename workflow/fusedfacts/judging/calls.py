"""A call of attention, as tensors by name: checked, then judged head by head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.pattern import ALIGNMENTS, Pattern
from fusedfacts.errors import FactsError
from fusedfacts.judging import arrays, layout, recipe
from fusedfacts.judging.head import Head, Problem, judge_head
from fusedfacts.judging.hypotheses import hypotheses, that_hold
from fusedfacts.judging.layout import Sizes
from fusedfacts.judging.recipe import FORMATS, Recipe
from fusedfacts.judging.verdict import Judgement

INPUTS = ("q", "k", "v")
OF_KEYS = ("k", "v")
FLOATS = (*INPUTS, "o", "lse", "bias", "sink")

Tensors = Mapping[str, NDArray[Any]]


def judged(
    tensors: Tensors, wanted: str | Recipe | None, axes: str | None, options: dict[str, Any]
) -> Judgement:
    """Judge q, k, v and o, lse, or both; `options` are a `Pattern`'s, but for sizes."""
    if "o" not in tensors and "lse" not in tensors:
        raise FactsError("o: found neither an answer nor its lse, expected one to judge; give o")
    sizes = layout.sizes({name: tensor.shape for name, tensor in tensors.items()}, axes)
    formats = {name: arrays.format_of(tensors[name], name) for name in FLOATS if name in tensors}
    _check_values(tensors)
    stored = max((formats[name] for name in INPUTS), key=lambda name: FORMATS[name].unit)
    chosen = wanted if isinstance(wanted, Recipe) else None
    if isinstance(wanted, str):
        chosen = recipe.named(wanted)
    chosen = chosen or recipe.default(stored, formats.get("o", "float32"))
    pattern = _pattern(sizes, **options)
    heads = [
        _head(tensors, sizes, (batch, head), pattern, chosen, stored)
        for batch in range(sizes.batch)
        for head in range(sizes.heads)
    ]
    return Judgement(chosen, sizes, heads)


def _head(
    tensors: Tensors,
    sizes: Sizes,
    at: tuple[int, int],
    pattern: Pattern,
    chosen: Recipe,
    stored: str,
) -> Head:
    """Judge one head of one entry of the batch."""
    batch, head = at
    parts = {
        name: layout.head_of(
            name, tensor, sizes.layout, batch, sizes.kv_head(head) if name in OF_KEYS else head
        )
        for name, tensor in tensors.items()
    }
    mask, bias = (
        np.broadcast_to(parts[name], (sizes.n_q, sizes.n_k)) if name in parts else None
        for name in layout.TABLES
    )
    sink = float(parts["sink"]) if "sink" in parts else None
    problem = Problem(parts["q"], parts["k"], parts["v"], pattern, stored, mask, bias, sink)
    output, lse = parts.get("o"), parts.get("lse")
    found = judge_head(problem, chosen, output=output, lse=lse)
    if found.verdict == "does not hold":
        other = head % sizes.kv_heads
        others = None
        if other != sizes.kv_head(head):
            k, v = (
                layout.head_of(name, tensors[name], sizes.layout, batch, other) for name in OF_KEYS
            )
            others = k, v
        found.explained = that_hold(hypotheses(problem, others), chosen, output, lse)
    return found


def _check_values(tensors: Tensors) -> None:
    """Refuse a mask that is none, and inputs that are not finite."""
    if "mask" in tensors and tensors["mask"].dtype != np.bool_:
        raise FactsError(
            f"mask: found numbers of type {tensors['mask'].dtype}, expected bool, True where a"
            " query sees a key; what is added to scores is a bias"
        )
    for name in (*INPUTS, "bias", "sink"):
        if name in tensors:
            arrays.check_finite(np.atleast_1d(tensors[name]), name)


def _pattern(sizes: Sizes, *, align: str | None, **options: Any) -> Pattern:
    """Describe which keys are seen, or refuse where it is not said how positions are aligned."""
    if align not in (None, *ALIGNMENTS):
        raise FactsError(
            f"causal: found '{align}', expected {' or '.join(ALIGNMENTS)}; choose one of them"
        )
    positions = options["causal"] or options["window"] is not None
    if positions and align is None and sizes.n_q != sizes.n_k:
        raise FactsError(
            f"causal: found {sizes.n_q} queries and {sizes.n_k} keys and no alignment, expected"
            " top-left (query 0 stands at key 0) or bottom-right (the last at the last); say which,"
            " as the two are different attentions"
        )
    where: Any = align or "top-left"
    return Pattern(sizes.n_q, sizes.n_k, sizes.d, align=where, **options)
