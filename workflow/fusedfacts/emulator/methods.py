"""The methods of computing attention, each with its closed form, emulation and order of sums.

`unfused` is three kernels with the score table in global memory; `fused` and `fused_fast` are one
kernel each, with online softmax over key tiles of different widths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fusedfacts.attention import problem as tiles
from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import SummationOrder, fused_order, unfused_order
from fusedfacts.attention.problem import Problem, Rows
from fusedfacts.emulator import execute
from fusedfacts.numerics.exponential import Exponential, exp

# q, k and v to the answer and the elements that were moved for it.
Compute = Callable[[Rows, Rows, Rows], tuple[Rows, traffic.Traffic]]


@dataclass(frozen=True)
class Method:
    """One method of computing attention.

    Attributes
    ----------
    name : str
        As the manifest, the command and the reports call it.
    key_rows : int or None
        Rows of the key tile of a fused kernel; None is the kernel's own.
    """

    name: str
    key_rows: int | None = None

    @property
    def online(self) -> bool:
        """Tell whether the softmax is an online one: a running maximum over key tiles."""
        return self.name != "unfused"

    def tile_rows(self, d: int) -> int | None:
        """Count rows of the key tile of the running maximum; None where there is none."""
        if not self.online:
            return None
        own = tiles.FUSED_FAST_KEY_ROWS[d] if self.name == "fused_fast" else tiles.fused_key_rows(d)
        return self.key_rows or own

    def order(self, d: int) -> SummationOrder:
        """Describe the order of sums, which the bound needs."""
        return fused_order(d, self.tile_rows(d)) if self.online else unfused_order(d)

    def traffic(self, problem: Problem) -> traffic.Traffic:
        """Count the elements moved, by the closed form."""
        size = problem.n, problem.d, problem.causal
        if not self.online:
            return traffic.unfused(*size)
        return {self.name: traffic.fused(*size)["fused"]}

    def arithmetic(self, problem: Problem) -> dict[str, int]:
        """Count the operations, by the closed form."""
        size = problem.n, problem.d, problem.causal
        if not self.online:
            return traffic.unfused_arithmetic(*size)
        return traffic.fused_arithmetic(*size, key_rows=self.tile_rows(problem.d))

    def emulate(
        self,
        problem: Problem,
        q: Rows,
        k: Rows,
        v: Rows,
        *,
        exponential: Exponential = exp,
        rescale: bool = True,
        keep_tables: bool = False,
    ) -> execute.Execution:
        """Run the emulated kernels; `execute.fused` and `execute.unfused` say what options do."""
        options: Any = {"causal": problem.causal, "scale": problem.scale}
        options["exponential"] = exponential
        if not self.online:
            return execute.unfused(q, k, v, **options, keep_tables=keep_tables)
        key_rows = self.tile_rows(problem.d)
        found = execute.fused(q, k, v, **options, key_rows=key_rows, rescale=rescale)
        return replace(found, counts={self.name: found.counts["fused"]})


FUSED, FUSED_FAST, UNFUSED = Method("fused"), Method("fused_fast"), Method("unfused")
METHODS = {method.name: method for method in (FUSED, FUSED_FAST, UNFUSED)}


def emulated(method: Method, problem: Problem) -> Compute:
    """Compute by the emulated kernels."""

    def compute(q: Rows, k: Rows, v: Rows) -> tuple[Rows, traffic.Traffic]:
        found = method.emulate(problem, q, k, v)
        return found.output, found.traffic()

    return compute
