"""What the emulated backward passes share: arithmetic on a tile, and heads that share keys.

Algorithm 4 of arXiv 2205.14135 and Algorithm 2 of arXiv 2307.08691 differ in what they keep of the
forward pass; from a tile's shares on, they are the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fusedfacts.schedules import loops
from fusedfacts.schedules.memory import NOTHING, Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


class KeyGradients(NamedTuple):
    """Where dK and dV go: of each of so many `heads` apart, or, where that is one, to the end.

    Heads that share keys and are not packed would overwrite each other: each has a part of its
    own, and a last kernel sums these.
    """

    dk: str
    dv: str
    heads: int

    @classmethod
    def reserved(cls, shape: Shape, tiles: Tiles, memory: Memory) -> KeyGradients:
        """Set the room aside."""
        heads = len(loops.streams(shape, tiles))
        memory.reserve("dk", shape.n_k, shape.d)
        memory.reserve("dv", shape.n_k, shape.d)
        if heads == 1:
            return cls("dk", "dv", 1)
        memory.reserve("partial_dk", heads * shape.n_k, shape.d)
        memory.reserve("partial_dv", heads * shape.n_k, shape.d)
        return cls("partial_dk", "partial_dv", heads)

    def join(self, shape: Shape, tiles: Tiles, memory: Memory) -> None:
        """Sum the parts, if there are any, key tile by key tile."""
        if self.heads == 1:
            return
        memory.launch("reduce")
        for name in ("dk", "dv"):
            for first, last in loops.cut(0, shape.n_k, tiles.bc):
                total = zeros(memory.dry, last - first, shape.d)
                for head in range(self.heads):
                    start = head * shape.n_k
                    part = memory.load(f"partial_{name}", start + first, start + last)
                    total = plus(total, part)
                memory.store(name, first, last, total)


@on_chip()
def plus(a: Floats, b: Floats) -> Floats:
    """Add."""
    return a + b


def zeros(dry: bool, rows: int, d: int) -> Floats:
    """Begin a sum on chip."""
    return NOTHING if dry else np.zeros((rows, d), dtype=np.float32)


@on_chip()
def row_products(do: Floats, o: Floats) -> Floats:
    """Compute D = rowsum(dO * O)."""
    products: Floats = (do * o).sum(axis=1)
    return products


@on_chip(gives=3)
def contribute(
    p: Floats, delta: Floats, q: Floats, k: Floats, v: Floats, do: Floats
) -> tuple[Floats, Floats, Floats]:
    """Compute what a tile's shares add to dQ, dK and dV."""
    scale = np.float32(1 / np.sqrt(q.shape[1]))
    ds = p * (do @ v.T - delta[:, None])
    return scale * (ds @ k), scale * (ds.T @ q), p.T @ do
