"""Counted global memory: named arrays, of which every slice that is loaded or stored is counted.

An emulator runs on it with numbers, or dry: then arrays have shapes alone, loads give `NOTHING`,
and what is `on_chip` is not computed, while the loops and their accesses are the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fusedfacts.errors import FactsError

F = TypeVar("F", bound=Callable[..., Any])
Floats = NDArray[np.float32]
NOTHING: Any = None  # what stands for numbers in a dry run
LOADS, STORES = 0, 1


class Access(NamedTuple):
    """One load or store: rows `first` to before `last` of a buffer, of so many numbers each."""

    kernel: str
    buffer: str
    first: int
    last: int
    width: int
    stores: bool


def on_chip(gives: int = 1) -> Callable[[F], F]:
    """Mark arithmetic on what was loaded, which gives so many arrays; a dry run leaves it out."""

    def marked(function: F) -> F:
        @functools.wraps(function)
        def computed(*given: Any) -> Any:
            if any(one is NOTHING for one in given):
                return NOTHING if gives == 1 else (NOTHING,) * gives
            return function(*given)

        return computed  # type: ignore[return-value]

    return marked


class Memory:
    """Global memory of one launch after another; `observe` is told of every access.

    >>> memory = Memory()
    >>> memory.place("q", np.ones((3, 2), dtype=np.float32))
    >>> memory.launch("forward")
    >>> memory.load("q", 1, 3).shape, memory.traffic()
    ((2, 2), {'forward': {'q': {'loads': 4, 'stores': 0}}})
    """

    def __init__(self, dry: bool = False, observe: Callable[[Access], None] | None = None) -> None:
        self.dry = dry
        self.observe = observe
        self.arrays: dict[str, Floats] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.written: dict[str, NDArray[np.bool_]] = {}
        self.counts: dict[str, dict[str, list[int]]] = {}
        self.kernel = ""

    def place(self, name: str, values: Floats | tuple[int, ...]) -> None:
        """Put an input there: its numbers or, dry, its shape."""
        self.reserve(name, *(values if isinstance(values, tuple) else values.shape))
        self.written[name][:] = True
        if not isinstance(values, tuple):
            self.arrays[name] = np.array(values, dtype=np.float32)

    def reserve(self, name: str, *shape: int) -> None:
        """Set room aside, in which nothing is written yet."""
        self.shapes[name] = shape
        self.written[name] = np.zeros(shape[0], dtype=bool)
        if not self.dry:
            self.arrays[name] = np.full(shape, np.nan, dtype=np.float32)

    def launch(self, kernel: str) -> None:
        """Begin a kernel, whose accesses are counted apart."""
        self.kernel = kernel
        self.counts.setdefault(kernel, {})

    def load(self, name: str, first: int, last: int) -> Floats:
        """Load rows `first` to before `last`, counted; what nobody wrote is refused."""
        self._access(name, first, last, LOADS)
        if not self.written[name][first:last].all():
            raise FactsError(
                f"{name}: found rows {first} to {last - 1} loaded before all of them were written,"
                f" expected a store first; mend the loops of {self.kernel}"
            )
        return NOTHING if self.dry else self.arrays[name][first:last].copy()

    def store(self, name: str, first: int, last: int, values: Floats | float) -> None:
        """Store rows `first` to before `last`, counted: their values, or one for all."""
        self._access(name, first, last, STORES)
        self.written[name][first:last] = True
        if self.dry:
            return
        taken = self.arrays[name][first:last]
        if not isinstance(values, float) and values.shape != taken.shape:
            raise FactsError(
                f"{name}: found {values.shape} stored to rows {first} to {last - 1}, expected"
                f" {taken.shape}; mend the loops of {self.kernel}"
            )
        taken[:] = values

    def _access(self, name: str, first: int, last: int, kind: int) -> None:
        """Count the elements, and refuse rows that do not exist."""
        rows, *columns = self.shapes[name]
        if not 0 <= first < last <= rows:
            raise FactsError(
                f"{name}: found an access to rows {first} to {last - 1}, expected some of its"
                f" {rows}; mend the loops of {self.kernel}"
            )
        width = columns[0] if columns else 1
        counts = self.counts[self.kernel].setdefault(name, [0, 0])
        counts[kind] += (last - first) * width
        if self.observe:
            self.observe(Access(self.kernel, name, first, last, width, kind == STORES))

    def traffic(self, times: int = 1) -> dict[str, dict[str, dict[str, int]]]:
        """Give elements moved, {kernel: {buffer: {"loads", "stores"}}}, for so many walks alike."""
        return {
            kernel: {
                name: {"loads": times * loads, "stores": times * stores}
                for name, (loads, stores) in buffers.items()
            }
            for kernel, buffers in self.counts.items()
        }
