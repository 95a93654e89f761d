"""Emulate FlashAttention-2's backward pass: Algorithm 2 of arXiv 2307.08691, keys outside.

Line 9 loads O, too, which nothing in the loop reads, and dQ, which line 15 loads again: here O is
loaded for D alone, and dQ once a tile.
"""

from __future__ import annotations

from fusedfacts.numerics.exponential import exp
from fusedfacts.schedules import loops
from fusedfacts.schedules.gradient_tiles import KeyGradients, contribute, plus, row_products, zeros
from fusedfacts.schedules.memory import Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


def backward(shape: Shape, tiles: Tiles, memory: Memory) -> None:
    """Run its kernels, from q, k, v, do and the forward pass's o and lse."""
    rows = shape.group * shape.n_q
    memory.reserve("dq", rows, shape.d)
    memory.reserve("delta", rows)
    room = KeyGradients.reserved(shape, tiles, memory)
    memory.launch("preprocess")
    memory.store("dq", 0, rows, 0.0)  # line 3
    for stream in loops.streams(shape, tiles):
        for first, last in loops.query_tiles(stream, tiles.br):
            do, o = memory.load("do", first, last), memory.load("o", first, last)
            memory.store("delta", first, last, row_products(do, o))  # line 4
    memory.launch("backward")
    for head, stream in enumerate(loops.streams(shape, tiles)):
        for first_key, last_key in loops.cut(0, shape.n_k, tiles.bc):  # line 5
            seeing = loops.queries_seeing(shape, first_key, last_key)
            dk = zeros(memory.dry, last_key - first_key, shape.d)  # line 7
            dv = zeros(memory.dry, last_key - first_key, shape.d)
            if seeing[0] < seeing[1]:
                k = memory.load("k", first_key, last_key)  # line 6
                v = memory.load("v", first_key, last_key)
            for first, last in loops.query_tiles(stream, tiles.br, *seeing):  # line 8
                names = ("q", "do", "lse", "delta")
                q, do, lse, delta = (memory.load(name, first, last) for name in names)  # line 9
                s = loops.scores(q, k, shape, stream, first, first_key)  # line 10
                of_dq, of_dk, of_dv = contribute(shares(s, lse), delta, q, k, v, do)
                dq = memory.load("dq", first, last)  # line 15
                memory.store("dq", first, last, plus(dq, of_dq))
                dk, dv = plus(dk, of_dk), plus(dv, of_dv)
            start = head * shape.n_k
            memory.store(room.dk, start + first_key, start + last_key, dk)  # line 18
            memory.store(room.dv, start + first_key, start + last_key, dv)
    room.join(shape, tiles, memory)


@on_chip()
def shares(s: Floats, lse: Floats) -> Floats:
    """Compute a tile of P anew from the kept logarithm (line 11)."""
    return exp(s - lse[:, None])
