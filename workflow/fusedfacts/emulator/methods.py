"""A way of computing attention that somebody asks for: kernel, mask, scale and key tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import problem, scale
from fusedfacts.attention import traffic as counts
from fusedfacts.attention.arithmetic import Order, fused_order, unfused_order
from fusedfacts.emulator import launch as emulator

Floats = NDArray[np.float32]

FUSED, UNFUSED = "fused", "unfused"
KERNELS = (FUSED, UNFUSED)


@dataclass(frozen=True)
class Way:
    """How attention is computed.

    Attributes
    ----------
    kernel : str
        "fused" or "unfused".
    causal : bool
    scale : float or None
        What scores are multiplied by; None is 1 / sqrt(d).
    key_rows : int or None
        Rows of the fused kernel's key tile; None is the kernel's own.
    """

    kernel: str = FUSED
    causal: bool = False
    scale: float | None = None
    key_rows: int | None = None

    def tile(self, d: int) -> int | None:
        """Rows of the key tile of the running maximum; None for the unfused kernel."""
        return (self.key_rows or problem.fused_key_rows(d)) if self.kernel == FUSED else None

    def scale_at(self, d: int) -> float:
        """The scale as a number."""
        return scale.default(d) if self.scale is None else self.scale

    @property
    def other(self) -> Way:
        """The other kernel on the same problem.

        >>> Way(FUSED, causal=True, key_rows=7).other
        Way(kernel='unfused', causal=True, scale=None, key_rows=None)
        """
        return replace(self, kernel=UNFUSED if self.kernel == FUSED else FUSED, key_rows=None)

    def order(self, d: int) -> Order:
        """The order of sums."""
        return fused_order(d, self.key_rows) if self.kernel == FUSED else unfused_order(d)

    def formula(self, n: int, d: int) -> counts.Traffic:
        """Elements moved, by the closed formula."""
        formula = counts.fused if self.kernel == FUSED else counts.unfused
        return formula(n, d, self.causal)


# q, k and v of shape (n, d) to the answer and the elements that were moved for it.
Compute = Callable[[Floats, Floats, Floats], tuple[Floats, counts.Traffic]]


def emulate(way: Way) -> Compute:
    """Computing by the emulated kernels."""

    def compute(q: Floats, k: Floats, v: Floats) -> tuple[Floats, counts.Traffic]:
        if way.kernel == UNFUSED:
            launch = emulator.unfused(q, k, v, causal=way.causal, scale=way.scale)
        else:
            launch = emulator.fused(
                q, k, v, causal=way.causal, scale=way.scale, key_rows=way.key_rows
            )
        return launch.output, launch.traffic()

    return compute
