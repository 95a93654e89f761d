"""Emulate split-K decoding: parts of the keys apart, then one kernel that joins their answers.

Flash-Decoding (Dao, Haziza, Massa and Sizov 2023), for any number of queries.
"""

from __future__ import annotations

import numpy as np

from fusedfacts.numerics.exponential import exp
from fusedfacts.schedules import flash2, loops
from fusedfacts.schedules.memory import NOTHING, Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


def forward(shape: Shape, tiles: Tiles, memory: Memory) -> None:
    """Run both kernels; a split in which a query tile sees nothing stores zeros."""
    rows, n_k = shape.group * shape.n_q, shape.n_k
    splits = list(loops.cut(0, n_k, tiles.split_keys(n_k)))
    memory.reserve("partial_o", len(splits) * rows, shape.d)
    memory.reserve("partial_lse", len(splits) * rows)
    memory.reserve("o", rows, shape.d)
    for stream in loops.streams(shape, tiles):
        memory.launch("split")
        for first, last in loops.query_tiles(stream, tiles.br):
            seen = loops.keys_seen(shape, *stream.positions(first, last))
            for i, (start, end) in enumerate(splits):
                keys = max(start, seen[0]), min(end, seen[1])
                o, lse = flash2.attend(shape, tiles, memory, stream, (first, last), keys)
                memory.store("partial_o", i * rows + first, i * rows + last, o)
                memory.store("partial_lse", i * rows + first, i * rows + last, lse)
        memory.launch("reduce")
        for first, last in loops.query_tiles(stream, tiles.br):
            places = [(i * rows + first, i * rows + last) for i in range(len(splits))]
            lse = _stacked([memory.load("partial_lse", *place) for place in places])
            o = _stacked([memory.load("partial_o", *place) for place in places])
            memory.store("o", first, last, join(o, lse))


def _stacked(partials: list[Floats]) -> Floats:
    return NOTHING if partials[0] is NOTHING else np.stack(partials)


@on_chip()
def join(o: Floats, lse: Floats) -> Floats:
    """Weigh partial answers (splits, rows, d) by their lse (splits, rows)."""
    m = lse.max(axis=0)
    top = np.where(np.isneginf(m), np.float32(0), m)
    total = exp(lse - top).sum(axis=0)
    whole = top + np.log(np.where(total > 0, total, np.float32(1)))
    joined: Floats = (exp(lse - whole)[:, :, None] * o).sum(axis=0)
    return joined
