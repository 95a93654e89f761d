"""The methods of computing attention, each with its closed form, emulation and order of sums.

`unfused` is three kernels with the score table in global memory; `fused` and `fused_fast` are one
kernel each, with online softmax over key tiles of different widths; `kv_outer` has the loop order
of FlashAttention's Algorithm 1 (arXiv:2205.14135), with a kernel that stores its initial values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fusedfacts.attention import problem as tiles
from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import (
    SummationOrder,
    fused_order,
    kv_outer_order,
    unfused_order,
)
from fusedfacts.attention.problem import Problem, Rows
from fusedfacts.emulator import execute
from fusedfacts.numerics.exponential import Exponential, exp

# q, k and v to the answer and the elements that were moved for it.
Compute = Callable[[Rows, Rows, Rows], tuple[Rows, traffic.Traffic]]


@dataclass(frozen=True)
class _Kind:
    """What makes a method.

    Attributes
    ----------
    form : str
        Whose closed forms (`traffic.ELEMENTS`) and emulation (in `execute`) it has.
    order : callable
        Takes d and, of an online softmax, the rows of a key tile.
    key_rows : callable or None
        Of an online softmax: the kernel's own rows of a key tile, from d.
    moves_by_key_tile : bool
        Whether what it moves depends on them.
    """

    form: str
    order: Callable[..., SummationOrder]
    key_rows: Callable[[int], int] | None = None
    moves_by_key_tile: bool = False


_KINDS = {
    "fused": _Kind("fused", fused_order, tiles.fused_key_rows),
    "fused_fast": _Kind("fused", fused_order, tiles.FUSED_FAST_KEY_ROWS.__getitem__),
    "kv_outer": _Kind("kv_outer", kv_outer_order, tiles.fused_key_rows, moves_by_key_tile=True),
    "unfused": _Kind("unfused", unfused_order),
}


@dataclass(frozen=True)
class Method:
    """One method of computing attention.

    Attributes
    ----------
    name : str
        As the manifest, the command and the reports call it.
    key_rows : int or None
        Rows of the key tile of an online softmax; None is the kernel's own.
    """

    name: str
    key_rows: int | None = None

    @property
    def _kind(self) -> _Kind:
        return _KINDS[self.name]

    @property
    def online(self) -> bool:
        """Tell whether the softmax is an online one: a running maximum over key tiles."""
        return self._kind.key_rows is not None

    def tile_rows(self, d: int) -> int | None:
        """Count rows of the key tile of the running maximum; None where there is none."""
        own = self._kind.key_rows
        return None if own is None else self.key_rows or own(d)

    def _tiled(self, d: int) -> dict[str, int | None]:
        return {"key_rows": self.tile_rows(d)} if self.online else {}

    def order(self, d: int) -> SummationOrder:
        """Describe the order of sums, which the bound needs."""
        return self._kind.order(d, **self._tiled(d))

    def _named(self, of_kernels: dict[str, Any]) -> dict[str, Any]:
        """Give a kernel that shares another's form its own name."""
        return {
            self.name if name == self._kind.form else name: of_kernels[name] for name in of_kernels
        }

    def traffic(self, problem: Problem) -> traffic.Traffic:
        """Count the elements moved, by the closed form."""
        moved = traffic.ELEMENTS[self._kind.form]
        tiled = self._tiled(problem.d) if self._kind.moves_by_key_tile else {}
        return self._named(moved(problem.n, problem.d, problem.causal, **tiled))

    def arithmetic(self, problem: Problem) -> dict[str, int]:
        """Count the operations, by the closed form."""
        counted = traffic.ARITHMETIC[self._kind.form]
        return counted(problem.n, problem.d, problem.causal, **self._tiled(problem.d))

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
        """Run the emulated kernels; the functions of `execute` say what options do."""
        options: Any = {"causal": problem.causal, "scale": problem.scale}
        options["exponential"] = exponential
        options |= {"rescale": rescale} if self.online else {"keep_tables": keep_tables}
        emulation: Callable[..., execute.Execution] = getattr(execute, self._kind.form)
        found = emulation(q, k, v, **options, **self._tiled(problem.d))
        return replace(found, counts=self._named(found.counts))


METHODS = {name: Method(name) for name in _KINDS}
ONLINE = [name for name, method in METHODS.items() if method.online]  # all but unfused
FUSED, FUSED_FAST, KV_OUTER, UNFUSED = METHODS.values()


def emulated(method: Method, problem: Problem) -> Compute:
    """Compute by the emulated kernels."""

    def compute(q: Rows, k: Rows, v: Rows) -> tuple[Rows, traffic.Traffic]:
        found = method.emulate(problem, q, k, v)
        return found.output, found.traffic()

    return compute
