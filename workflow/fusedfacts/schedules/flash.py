"""Emulate FlashAttention: Algorithm 1 of arXiv 2205.14135, keys and values in the outer loop."""

from __future__ import annotations

import numpy as np

from fusedfacts.numerics.exponential import exp
from fusedfacts.schedules import loops
from fusedfacts.schedules.memory import Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


def forward(shape: Shape, tiles: Tiles, memory: Memory) -> None:
    """Run its kernel: O, l and m stay in global memory and are updated for each key tile."""
    rows = shape.group * shape.n_q
    memory.reserve("o", rows, shape.d)
    memory.reserve("l", rows)
    memory.reserve("m", rows)
    memory.launch("forward")
    memory.store("o", 0, rows, 0.0)  # line 2
    memory.store("l", 0, rows, 0.0)
    memory.store("m", 0, rows, float("-inf"))
    for stream in loops.streams(shape, tiles):
        for first_key, last_key in loops.cut(0, shape.n_k, tiles.bc):  # line 5
            seeing = loops.queries_seeing(shape, first_key, last_key)
            if seeing[0] == seeing[1]:
                continue
            k = memory.load("k", first_key, last_key)  # line 6
            v = memory.load("v", first_key, last_key)
            for first, last in loops.query_tiles(stream, tiles.br, *seeing):  # line 7
                q = memory.load("q", first, last)  # line 8
                o = memory.load("o", first, last)
                l = memory.load("l", first, last)  # noqa: E741 - the paper's name
                m = memory.load("m", first, last)
                s = loops.scores(q, k, shape, stream, first, first_key)  # line 9
                o, l, m = update(o, l, m, s, v)  # noqa: E741
                memory.store("o", first, last, o)  # line 12
                memory.store("l", first, last, l)  # line 13
                memory.store("m", first, last, m)


@on_chip(gives=3)
def update(
    o: Floats,
    l: Floats,  # noqa: E741
    m: Floats,
    s: Floats,
    v: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Bring a key tile's scores and values into the running answer, which is divided each time."""
    tile_m = s.max(axis=1)  # line 10
    p = exp(s - tile_m[:, None])
    tile_l = p.sum(axis=1)
    new_m = np.maximum(m, tile_m)  # line 11
    old, new = exp(m - new_m), exp(tile_m - new_m)
    new_l = old * l + new * tile_l
    o = ((l * old)[:, None] * o + new[:, None] * (p @ v)) / new_l[:, None]  # line 12
    return o, new_l, new_m
