"""Which attention is meant, by options that are held against each other and against the sizes."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as whole
from typing import Any

from fusedfacts.attention.pattern import ALIGNMENTS, Pattern
from fusedfacts.errors import FactsError, printable
from fusedfacts.judging.layout import Sizes

QUOTED_MOST = 60  # characters of what was given


def pattern(
    sizes: Sizes,
    *,
    causal: bool | str = False,
    align: str | None = None,
    window: Sequence[int] | None = None,
    softcap: float | None = None,
    scale: float | None = None,
) -> Pattern:
    """Describe which keys are seen, or refuse what contradicts itself or leaves a doubt."""
    for found in (align, causal):
        if isinstance(found, str) and found not in ALIGNMENTS:
            raise FactsError(
                f"causal: found '{printable(found, QUOTED_MOST)}', expected"
                f" {' or '.join(ALIGNMENTS)}; choose one of them"
            )
    if isinstance(causal, str):
        if align not in (None, causal):
            raise FactsError(
                f"align: found {align} with causal {causal}, expected one alignment; leave one of"
                " them out"
            )
        align = causal
    positions = bool(causal) or window is not None
    if align and not positions:
        raise FactsError(
            f"align: found {align} without window or causal, expected one of these, as positions"
            " matter to nothing else; leave it out"
        )
    if positions and align is None and sizes.n_q != sizes.n_k:
        raise FactsError(
            f"causal: found {sizes.n_q} queries and {sizes.n_k} keys and no alignment, expected"
            " top-left (query 0 stands at key 0) or bottom-right (the last at the last); say which"
            " by causal or align, as the two are different attentions"
        )
    limits = None if window is None else _limits(window, causal=bool(causal))
    where: Any = align or "top-left"
    numbers = _number(softcap, "softcap"), _number(scale, "scale")
    return Pattern(sizes.n_q, sizes.n_k, sizes.d, bool(causal), where, limits, *numbers)


def _limits(window: Sequence[int], *, causal: bool) -> tuple[int, int]:
    """Take the two numbers of a window."""
    try:
        before, after = map(whole, window)
    except (TypeError, ValueError):
        raise FactsError(
            f"window: found {printable(repr(window), QUOTED_MOST)}, expected two whole numbers,"
            " of keys before a query's position and after it; give such, -1 for no limit"
        ) from None
    if causal and after > 0:
        raise FactsError(
            f"window: found {after} keys after a query's position with causal, which lets it see"
            f" none, expected 0; say {before}, 0 or leave out causal"
        )
    return before, after


def _number(x: Any, name: str) -> float | None:
    """Take a real number, of whatever type."""
    try:
        return None if x is None else float(x)
    except (TypeError, ValueError):
        raise FactsError(
            f"{name}: found {printable(repr(x), QUOTED_MOST)}, expected a number; give one"
        ) from None
