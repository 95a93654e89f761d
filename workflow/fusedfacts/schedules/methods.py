"""The schedules, each with its closed form, emulation and order of sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import SummationOrder
from fusedfacts.attention.traffic import Traffic
from fusedfacts.schedules import flash, flash2, forward_forms, splitk, standard
from fusedfacts.schedules.memory import Access, Floats, Memory
from fusedfacts.schedules.shape import Shape, Tiles

Heads = NDArray[np.float32]  # (heads, n, d): of one head of keys, the query heads that it serves


@dataclass(frozen=True)
class Schedule:
    """One schedule of computing attention, forward or backward.

    Attributes
    ----------
    name, direction : str
        As the command calls them.
    form : callable
        Counts the elements that all heads move, by the closed form.
    run : callable
        Runs the loops of one head of keys on counted memory, which holds the inputs.
    order : callable
        Describes the order of sums, which the bound needs.
    """

    name: str
    direction: str
    form: Callable[[Shape, Tiles], Traffic]
    run: Callable[[Shape, Tiles, Memory], None]
    order: Callable[[Shape, Tiles], SummationOrder]

    def count(
        self, shape: Shape, tiles: Tiles, observe: Callable[[Access], None] | None = None
    ) -> Traffic:
        """Run the loops dry, and count what all heads move."""
        memory = Memory(dry=True, observe=observe)
        rows = shape.group * shape.n_q
        memory.place("q", (rows, shape.d))
        memory.place("k", (shape.n_k, shape.d))
        memory.place("v", (shape.n_k, shape.d))
        self.run(shape, tiles, memory)
        return memory.traffic(shape.batch * shape.kv_heads)

    def emulate(
        self, shape: Shape, tiles: Tiles, q: Heads, k: Floats, v: Floats
    ) -> tuple[Heads, Memory]:
        """Run the loops on q (group, n_q, d), k and v (n_k, d); the answer is like q."""
        memory = Memory()
        memory.place("q", rows_of(q, tiles.packed))
        memory.place("k", k)
        memory.place("v", v)
        self.run(shape, tiles, memory)
        return heads_of(memory.arrays["o"], shape, tiles.packed), memory


def rows_of(heads: Heads, packed: bool) -> Floats:
    """Lay heads (group, n_q, d) out as rows: head after head, or packed by position."""
    together = heads.swapaxes(0, 1) if packed else heads
    return np.ascontiguousarray(together).reshape(-1, heads.shape[-1])


def heads_of(rows: Floats, shape: Shape, packed: bool) -> Heads:
    """Undo `rows_of`."""
    if packed:
        return rows.reshape(shape.n_q, shape.group, -1).swapaxes(0, 1)
    return rows.reshape(shape.group, shape.n_q, -1)


def _any_order(shape: Shape, tiles: Tiles) -> SummationOrder:
    return SummationOrder(0, online=False)


def _by_key_tiles(shape: Shape, tiles: Tiles) -> SummationOrder:
    return SummationOrder(tiles.bc, online=True)


def _stored_by_key_tiles(shape: Shape, tiles: Tiles) -> SummationOrder:
    return SummationOrder(tiles.bc, online=True, stored=True)


def _by_splits(shape: Shape, tiles: Tiles) -> SummationOrder:
    return SummationOrder(tiles.bc, online=True, splits=tiles.real_splits(shape.n_k))


FORWARD = {
    schedule.name: schedule
    for schedule in (
        Schedule("standard", "forward", forward_forms.standard, standard.forward, _any_order),
        Schedule("fa1", "forward", forward_forms.flash, flash.forward, _stored_by_key_tiles),
        Schedule("fa2", "forward", forward_forms.flash2, flash2.forward, _by_key_tiles),
        Schedule("splitk", "forward", forward_forms.splitk, splitk.forward, _by_splits),
    )
}
