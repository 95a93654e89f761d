"""The backward schedules, each with its closed form, emulation and order of sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fusedfacts.attention.gradient_bound import GradientOrder
from fusedfacts.attention.problem import ceil_div
from fusedfacts.attention.traffic import Traffic
from fusedfacts.schedules import (
    backward_forms,
    flash2_backward,
    flash_backward,
    standard_backward,
)
from fusedfacts.schedules.memory import Access, Memory
from fusedfacts.schedules.shape import Shape, Tiles


@dataclass(frozen=True)
class BackwardSchedule:
    """One schedule of computing the gradient of attention.

    Attributes
    ----------
    name, direction : str
        As the command calls them.
    form : callable
        Counts the elements that all heads move, by the closed form.
    run : callable
        Runs the loops of one head of keys on counted memory, which holds q, k, v and do.
    kept : tuple of str
        What must lie there of the forward pass, too.
    divided, from_shares : bool
        As in `GradientOrder`.
    """

    name: str
    form: Callable[[Shape, Tiles], Traffic]
    run: Callable[[Shape, Tiles, Memory], None]
    kept: tuple[str, ...]
    divided: bool = False
    from_shares: bool = False
    direction: str = "backward"

    def inputs(self, shape: Shape) -> dict[str, tuple[int, ...]]:
        """Give the sizes of what the loops of one head of keys start from."""
        rows, d = shape.group * shape.n_q, shape.d
        sizes: dict[str, tuple[int, ...]] = dict.fromkeys(("q", "o", "do"), (rows, d))
        sizes |= dict.fromkeys(("k", "v"), (shape.n_k, d))
        sizes |= dict.fromkeys(("l", "m", "lse"), (rows,)) | {"p": (rows, shape.n_k)}
        return {name: sizes[name] for name in ("q", "k", "v", "do", *self.kept)}

    def count(
        self, shape: Shape, tiles: Tiles, observe: Callable[[Access], None] | None = None
    ) -> Traffic:
        """Run the loops dry, and count what all heads move."""
        memory = Memory(dry=True, observe=observe)
        for name, size in self.inputs(shape).items():
            memory.place(name, size)
        self.run(shape, tiles, memory)
        return memory.traffic(shape.batch * shape.kv_heads)

    def order(self, shape: Shape, tiles: Tiles) -> GradientOrder:
        """Count the roundings of its sums: within a tile, and of all tiles of all heads."""
        rows = shape.group * shape.n_q
        packed = ceil_div(rows, tiles.br)
        row_tiles = packed if tiles.packed else shape.group * ceil_div(shape.n_q, tiles.br)
        return GradientOrder(
            min(tiles.bc, shape.n_k) + ceil_div(shape.n_k, tiles.bc) - 1,
            min(tiles.br, rows) + row_tiles - 1,
            self.divided,
            self.from_shares,
        )


BACKWARD = {
    schedule.name: schedule
    for schedule in (
        BackwardSchedule(
            "standard",
            backward_forms.standard,
            standard_backward.backward,
            ("p",),
            divided=True,
            from_shares=True,
        ),
        BackwardSchedule(
            "fa1", backward_forms.flash, flash_backward.backward, ("o", "l", "m"), divided=True
        ),
        BackwardSchedule("fa2", backward_forms.flash2, flash2_backward.backward, ("o", "lse")),
    )
}
