"""Emulate FlashAttention's backward pass: Algorithm 4 of arXiv 2205.14135, keys outside."""

from __future__ import annotations

from fusedfacts.numerics.exponential import exp
from fusedfacts.schedules import loops
from fusedfacts.schedules.gradient_tiles import KeyGradients, contribute, plus, row_products, zeros
from fusedfacts.schedules.memory import Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


def backward(shape: Shape, tiles: Tiles, memory: Memory) -> None:
    """Run its kernel, from q, k, v, do and the forward pass's o, l and m.

    dQ stays in global memory and is updated for each key tile; all three begin there as zeros.
    """
    rows = shape.group * shape.n_q
    memory.reserve("dq", rows, shape.d)
    room = KeyGradients.reserved(shape, tiles, memory)
    memory.launch("backward")
    memory.store("dq", 0, rows, 0.0)  # line 5
    for name in (room.dk, room.dv):
        memory.store(name, 0, room.heads * shape.n_k, 0.0)
    for head, stream in enumerate(loops.streams(shape, tiles)):
        for first_key, last_key in loops.cut(0, shape.n_k, tiles.bc):  # line 6
            seeing = loops.queries_seeing(shape, first_key, last_key)
            if seeing[0] == seeing[1]:
                continue
            k = memory.load("k", first_key, last_key)  # line 7
            v = memory.load("v", first_key, last_key)
            dk = zeros(memory.dry, last_key - first_key, shape.d)  # line 8
            dv = zeros(memory.dry, last_key - first_key, shape.d)
            for first, last in loops.query_tiles(stream, tiles.br, *seeing):  # line 9
                names = ("q", "o", "do", "dq", "l", "m")
                q, o, do, dq, l, m = (memory.load(name, first, last) for name in names)  # noqa: E741
                s = loops.scores(q, k, shape, stream, first, first_key)  # line 11
                p = shares(s, l, m)
                of_dq, of_dk, of_dv = contribute(p, row_products(do, o), q, k, v, do)
                memory.store("dq", first, last, plus(dq, of_dq))  # line 21
                dk, dv = plus(dk, of_dk), plus(dv, of_dv)
            start = head * shape.n_k
            memory.store(room.dk, start + first_key, start + last_key, dk)  # line 24
            memory.store(room.dv, start + first_key, start + last_key, dv)
    room.join(shape, tiles, memory)


@on_chip()
def shares(s: Floats, l: Floats, m: Floats) -> Floats:  # noqa: E741 - the paper's names
    """Compute a tile of P anew from the kept statistics (line 13)."""
    return exp(s - m[:, None]) / l[:, None]
