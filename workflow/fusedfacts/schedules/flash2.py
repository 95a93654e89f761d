"""Emulate FlashAttention-2's forward: Algorithm 1 of arXiv 2307.08691, queries outside."""

from __future__ import annotations

import numpy as np

from fusedfacts.numerics.exponential import exp
from fusedfacts.schedules import loops
from fusedfacts.schedules.memory import Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


def forward(shape: Shape, tiles: Tiles, memory: Memory) -> None:
    """Run its kernel: a query tile's answer stays on chip until all its keys were met."""
    rows = shape.group * shape.n_q
    memory.reserve("o", rows, shape.d)
    memory.reserve("lse", rows)
    memory.launch("forward")
    for stream in loops.streams(shape, tiles):
        for first, last in loops.query_tiles(stream, tiles.br):  # line 3
            keys = loops.keys_seen(shape, *stream.positions(first, last))
            o, lse = attend(shape, tiles, memory, stream, (first, last), keys)
            memory.store("o", first, last, o)  # line 14
            memory.store("lse", first, last, lse)  # line 15


def attend(
    shape: Shape,
    tiles: Tiles,
    memory: Memory,
    stream: loops.Stream,
    rows: tuple[int, int],
    keys: tuple[int, int],
) -> tuple[Floats, Floats]:
    """Compute the answer and the lse of a query tile over a range of keys, which may be empty."""
    first, last = rows
    if keys[0] >= keys[1]:
        return blind(last - first, shape.d)
    q = memory.load("q", first, last)  # line 4
    o, l, m = begin(q)  # noqa: E741 - the paper's names; line 5
    for first_key, last_key in loops.cut(*keys, tiles.bc):  # line 6
        k = memory.load("k", first_key, last_key)  # line 7
        v = memory.load("v", first_key, last_key)
        s = loops.scores(q, k, shape, stream, first, first_key)  # line 8
        o, l, m = update(o, l, m, s, v)  # noqa: E741
    return finish(o, l, m)


def blind(rows: int, d: int) -> tuple[Floats, Floats]:
    """Give the answer of rows that see nothing: zeros, and an lse of minus infinity."""
    return np.zeros((rows, d), np.float32), np.full(rows, -np.inf, np.float32)


@on_chip(gives=3)
def begin(q: Floats) -> tuple[Floats, Floats, Floats]:
    """Begin a query tile's running answer, total and maximum."""
    rows = len(q)
    return np.zeros_like(q), np.zeros(rows, np.float32), np.full(rows, -np.inf, np.float32)


@on_chip(gives=3)
def update(
    o: Floats,
    l: Floats,  # noqa: E741
    m: Floats,
    s: Floats,
    v: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Bring a key tile's scores and values into the running answer, which is divided at the end."""
    new_m = np.maximum(m, s.max(axis=1))  # line 9
    top = np.where(np.isneginf(new_m), np.float32(0), new_m)  # a row that has seen nothing yet
    p, old = exp(s - top[:, None]), exp(m - top)
    return old[:, None] * o + p @ v, old * l + p.sum(axis=1), new_m  # line 10


@on_chip(gives=2)
def finish(o: Floats, l: Floats, m: Floats) -> tuple[Floats, Floats]:  # noqa: E741
    """Divide by the total, once, and give the lse; lines 12 and 13."""
    sees = l > 0
    total: Floats = np.where(sees, l, np.float32(1))
    return o / total[:, None], np.where(sees, m + np.log(total), np.float32(-np.inf))
