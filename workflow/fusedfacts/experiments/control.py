"""The deliberately broken control: the factor on the running total alone is left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import fused_order
from fusedfacts.attention.compare import compare, require_certified
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.tiled import Faults, tiled
from fusedfacts.errors import ClaimError
from fusedfacts.numerics import rounding

Floats = NDArray[np.float32]
BROKEN = Faults(total_factor="omitted")


def head_results(q: Floats, k: Floats, v: Floats, key_rows: int, name: str) -> dict[str, Any]:
    """What the checker sees of the control on one head, causal.

    Parameters
    ----------
    q, k, v : ndarray of float32, shape (n, d)
    key_rows : int
        Rows of a key tile; n must span several.
    name : str
        For messages.

    Returns
    -------
    dict
        Rows and elements that are wrong, the worst error / bound, rows whose maximum lies in the
        first tile (all bit-equal to the right answer), rows with a later maximum that pass, and
        per row whether its maximum is late and whether it is wrong.

    Raises
    ------
    ClaimError
        If the right answer fails, the control is not caught, or a row whose maximum lies in
        the first tile differs from the right answer in any bit.
    """
    bounded = attention_bounds(q, k, v, [fused_order(q.shape[1], key_rows)], causal=True)
    require_certified(bounded.certified, name)
    right = tiled(q, k, v, key_rows=key_rows, causal=True)
    broken = tiled(q, k, v, key_rows=key_rows, causal=True, faults=BROKEN)
    if not compare(right.output, bounded.exact, bounded.bounds[0]).passed:
        raise ClaimError(f"{name}: the right answer lies outside its bound; nothing is published")
    seen = compare(broken.output, bounded.exact, bounded.bounds[0])
    if seen.passed:
        raise ClaimError(
            f"{name}: the checker did not catch the broken rescale, expected wrong answers on"
            " every head; choose smaller control_key_rows in config.yaml or mend the checker"
        )
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
        "worst_ratio": rounding.up(seen.largest_ratio, f"{name}: worst error/bound"),
        "rows_maximum_in_first_tile": int(early.sum()),
        "rows_late_maximum_but_passing": int((~early & ~seen.wrong_rows).sum()),
        "caught": True,
        "row_has_late_maximum": [bool(x) for x in ~early],
        "row_is_wrong": [bool(x) for x in seen.wrong_rows],
    }


def results(q: Floats, k: Floats, v: Floats, key_rows: int) -> dict[str, Any]:
    """The control on every head of the probe, tensors of shape (heads, n, d)."""
    heads = [
        head_results(q[h], k[h], v[h], key_rows, f"control, head {h}") for h in range(q.shape[0])
    ]
    return {"key_rows": key_rows, "heads": heads}
