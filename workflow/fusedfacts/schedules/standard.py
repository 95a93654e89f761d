"""Emulate standard attention: Algorithm 0 of arXiv 2205.14135, the table in global memory."""

from __future__ import annotations

import numpy as np

from fusedfacts.numerics.exponential import exp
from fusedfacts.schedules import loops
from fusedfacts.schedules.memory import Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


def forward(shape: Shape, tiles: Tiles, memory: Memory) -> None:
    """Run its three kernels; each operand of a product is loaded once, k and v wholly."""
    n_k, d = shape.n_k, shape.d
    rows = shape.group * shape.n_q
    memory.reserve("s", rows, n_k)
    memory.reserve("p", rows, n_k)
    memory.reserve("o", rows, d)
    for stream in loops.streams(shape, tiles):
        memory.launch("scores")  # line 1
        k = memory.load("k", 0, n_k)
        for first, last in loops.query_tiles(stream, tiles.br):
            q = memory.load("q", first, last)
            memory.store("s", first, last, loops.scores(q, k, shape, stream, first, 0))
        memory.launch("softmax")  # line 2
        for first, last in loops.query_tiles(stream, tiles.br):
            memory.store("p", first, last, softmax(memory.load("s", first, last)))
        memory.launch("mix")  # line 3
        v = memory.load("v", 0, n_k)
        for first, last in loops.query_tiles(stream, tiles.br):
            memory.store("o", first, last, mix(memory.load("p", first, last), v))


@on_chip()
def softmax(s: Floats) -> Floats:
    """Compute the shares of each row; one that sees nothing has none."""
    m = s.max(axis=1, keepdims=True)
    p = exp(s - np.where(np.isneginf(m), np.float32(0), m))
    total: Floats = p.sum(axis=1, keepdims=True)
    total[total == 0] = 1
    return p / total


@on_chip()
def mix(p: Floats, v: Floats) -> Floats:
    """Compute P V."""
    return p @ v
