"""Which keys a query sees, and what is done to a score on its way to the softmax.

The kernels of this project serve `problem.Problem`; a `Pattern` is what anybody's kernel may
compute: other numbers of queries and keys, a window, a soft cap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import (
    SCALE_ROUNDINGS,
    check_scale,
    default_scale,
    is_power_of_two,
)
from fusedfacts.errors import FactsError

Alignment = Literal["top-left", "bottom-right"]
ALIGNMENTS: tuple[Alignment, ...] = ("top-left", "bottom-right")
Visible = NDArray[np.bool_]  # (rows, n_k): True where the query sees the key


@dataclass(frozen=True)
class Pattern:
    """Attention of `n_q` queries to `n_k` keys of `d` numbers each.

    Attributes
    ----------
    causal : bool
        A query sees no key after its own position.
    align : {"top-left", "bottom-right"}
        Where query 0 stands: at key 0, or so that the last query stands at the last key.
    window : (int, int) or None
        A query sees that many keys before its own position, itself, and that many after it; -1
        is no limit (Dao 2023, FlashAttention-2's `window_size`).
    softcap : float or None
        A score s becomes c tanh(s / c).
    shift : int
        Keys by which positions are moved on: one too many, or one too few, is a common mistake.

    >>> Pattern(2, 4, 16, causal=True, align="bottom-right").visible(0, 2).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    >>> Pattern(3, 3, 16, window=(1, 0)).visible(0, 3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """

    n_q: int
    n_k: int
    d: int
    causal: bool = False
    align: Alignment = "top-left"
    window: tuple[int, int] | None = None
    softcap: float | None = None
    scale: float | None = None
    shift: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no attention."""
        check_scale(self.scale)
        if self.softcap is not None and not 0 < self.softcap < np.inf:
            raise FactsError(
                f"softcap: found {self.softcap!r}, expected a finite number above 0; leave it out"
                " for none"
            )
        if self.window is not None and min(self.window) < -1:
            raise FactsError(
                f"window: found {self.window}, expected two numbers of keys, or -1 for no limit;"
                " choose such"
            )

    @property
    def softmax_scale(self) -> float:
        """Give the scale as a number."""
        return default_scale(self.d) if self.scale is None else self.scale

    @property
    def score_roundings(self) -> int:
        """Count the roundings that a term of a score passes: two more unless the scale is exact."""
        exact = is_power_of_two(self.softmax_scale)
        return self.d if exact else self.d + SCALE_ROUNDINGS

    @property
    def offset(self) -> int:
        """Tell at which key query 0 stands."""
        return self.shift + (0 if self.align == "top-left" else self.n_k - self.n_q)

    def visible(self, first: int, last: int) -> Visible | None:
        """Tell for queries `first` to `last` which keys each sees; None where all see all."""
        before, after = self.window or (-1, -1)
        if self.causal:
            after = 0
        if before == after == -1:
            return None
        position = np.arange(first, last)[:, None] + self.offset
        keys = np.arange(self.n_k)
        seen = np.ones((last - first, self.n_k), dtype=bool)
        if before >= 0:
            seen &= keys >= position - before
        if after >= 0:
            seen &= keys <= position + after
        return seen
