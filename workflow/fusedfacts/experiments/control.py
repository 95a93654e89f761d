"""The deliberately broken control: the factor on the running total alone is left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from fusedfacts.attention.arithmetic import fused_order
from fusedfacts.attention.compare import Comparison, compare, require_certified
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Rows
from fusedfacts.attention.tiled import Faults, Tiled, tiled
from fusedfacts.claims.claim import MODEL_INPUTS, PROBE, Claim, Group, Section
from fusedfacts.errors import ClaimError
from fusedfacts.numerics import rounding

BROKEN = Faults(total_factor="omitted")
# Where it changes nothing; heads of one's own say it in the same words.
CANNOT_SHOW = (
    "the missing rescale changes nothing, as each largest score lies in the first key tile"
)


def right_answer(
    q: Rows, k: Rows, v: Rows, *, key_rows: int, causal: bool, name: str
) -> tuple[Tiled, Callable[[Rows], Comparison]]:
    """Compute the right answer, and what compares any answer with the exact one."""
    bounded = attention_bounds(q, k, v, [fused_order(q.shape[1], key_rows)], causal=causal)
    require_certified(bounded.certified, name)
    compared = partial(compare, exact=bounded.exact, bound=bounded.bounds[0])
    right = tiled(q, k, v, key_rows=key_rows, causal=causal)
    require_right(right, compared, name)
    return right, compared


def require_right(right: Tiled, compared: Callable[[Rows], Comparison], name: str) -> None:
    """Raise a ClaimError where the right answer does not pass its own check."""
    if not compared(right.output).passed:
        raise ClaimError(f"{name}: the right answer lies outside its bound; nothing is published")


def head_results(q: Rows, k: Rows, v: Rows, key_rows: int, name: str) -> dict[str, Any]:
    """Compare the control on one head, causal, and tell which rows are wrong and which late.

    A row is late if its maximum lies past the first tile; rows that are not must be bit-equal to
    the right answer. Else, and if the control is not caught where a row could show it, a
    ClaimError.
    """
    right, compared = right_answer(q, k, v, key_rows=key_rows, causal=True, name=name)
    broken = tiled(q, k, v, key_rows=key_rows, causal=True, faults=BROKEN)
    found = broken_results(broken, right, compared, name)
    if not found["caught"] and not cannot_show(found):
        raise ClaimError(
            f"{name}: the checker did not catch the broken rescale, expected wrong answers on"
            " every head whose maxima rise; choose smaller control_key_rows in config.yaml or mend"
            " the checker"
        )
    return found


def cannot_show(found: dict[str, Any]) -> bool:
    """Tell whether no maximum rises after the first tile, so that no rescale can be missed.

    >>> cannot_show({"rows": 9, "rows_maximum_in_first_tile": 9})
    True
    """
    return bool(found["rows_maximum_in_first_tile"] == found["rows"])


def broken_results(
    broken: Tiled,
    right: Tiled,
    compared: Callable[[Rows], Comparison],
    name: str,
    round_up: Callable[[float, str], float] = rounding.up,
) -> dict[str, Any]:
    """Compare the broken answer with the right one, whether it is caught or not."""
    seen = compared(broken.output)
    early = right.maximum_in_first_tile
    differs = (right.output.view(np.uint32) != broken.output.view(np.uint32)).any(axis=1)
    if (differs & early).any():
        raise ClaimError(
            f"{name}: rows {np.flatnonzero(differs & early).tolist()} have their maximum in the"
            " first tile but differ from the right answer, expected equal bits"
        )
    return {
        "rows": int(early.size),
        "elements": int(seen.wrong.size),
        "rows_wrong": int(seen.wrong_rows.sum()),
        "elements_wrong": seen.wrong_elements,
        "worst_ratio": round_up(seen.largest_ratio, f"{name}: worst error/bound"),
        "rows_maximum_in_first_tile": int(early.sum()),
        "rows_late_maximum_but_passing": int((~early & ~seen.wrong_rows).sum()),
        "caught": not seen.passed,
        "row_has_late_maximum": [bool(x) for x in ~early],
        "row_is_wrong": [bool(x) for x in seen.wrong_rows],
    }


def compute(q: Rows, k: Rows, v: Rows, *, control_key_rows: int) -> dict[str, Any]:
    """Compute the control on every head of the probe, tensors of shape (heads, n, d)."""
    heads = [
        head_results(*qkv, control_key_rows, f"control, head {h}")
        for h, qkv in enumerate(zip(q, k, v, strict=True))
    ]
    return {"key_rows": control_key_rows, "heads": heads}


CONTROL = Group(
    "fusedfacts.experiments.control.compute",
    (*MODEL_INPUTS, "settings.control_key_rows"),
    "The right answer passes the same check that the broken answer is put to; answers whose "
    "largest score lies in the first tile equal the right answer in every bit.",
    "It shows that this checker sees this fault on this sentence; another fault needs its own"
    " control.",
)
COUNTS = """
rows_wrong | $begin {} answers are wrong. | rows | #{rows with an element |x^ - x| > bound}
elements_wrong | $begin {} elements are wrong. | elements | #{elements with |x^ - x| > bound}
rows_late_maximum_but_passing | $begin {} answers pass although their largest score lies in a later
    tile. | rows | #{rows whose maximum rises and all |x^ - x| <= bound}
rows | $begin {} answers were checked. | rows | #{rows}
rows_right | $begin {} answers are right. | rows
    | #{rows} - #{rows with an element |x^ - x| > bound}
"""
FIRST_TILE = """
rows_maximum_in_first_tile | $begin {} answers have their largest score in the first key tile, and
    all of them equal the right answer in every bit. | rows | #{rows whose maximum never rises}
"""
WORST = """
worst_ratio | $begin the worst error is at most {} times its bound. | 1 | max (|x^ - x| / bound)
"""
WHOLE = """
heads_caught | The checker caught the missing rescale on {} heads. | heads
    | #{heads with an element |x^ - x| > bound}
key_rows | The control's key tiles have {} rows. | rows | as chosen
"""
SILENT = f"""
heads_cannot_show | On {{}} heads {CANNOT_SHOW}. | heads | #{{heads whose maxima never rise}}
"""
SUMMED = ("rows", "rows_right", "rows_wrong", "elements_wrong", "rows_late_maximum_but_passing")


def claims(control: dict[str, Any]) -> list[Claim]:
    """Claim what the control does to each head, and to all of them."""
    heads = [{**head, "rows_right": head["rows"] - head["rows_wrong"]} for head in control["heads"]]
    found: list[Claim] = []
    for h, head in enumerate(heads):
        prefix, begin = f"control.head{h}.{{}}", f"With the total not rescaled, head {h}:"
        found += CONTROL.table(prefix, COUNTS + FIRST_TILE, head, {"begin": begin})
        found += CONTROL.table(prefix, WORST, head, {"begin": begin}, bounded=True)
    totals = {key: sum(head[key] for head in heads) for key in SUMMED}
    begin = "With the total not rescaled, all heads together:"
    found += CONTROL.table("control.{}", COUNTS, totals, {"begin": begin})
    caught = sum(head["caught"] for head in heads)
    whole = {"heads_caught": caught, "key_rows": control["key_rows"]}
    found += CONTROL.table("control.{}", WHOLE, whole)
    silent = sum(map(cannot_show, heads))
    # On the shipped sentence every head shows it, and a claim of none would say nothing.
    return found + (
        CONTROL.table("control.{}", SILENT, {"heads_cannot_show": silent}) * (silent > 0)
    )


SECTION = Section(compute, claims, tensors=PROBE, settings=("control_key_rows",))
