"""Emulate standard attention's backward pass: Algorithm 3 of arXiv 2205.14135, tables in memory."""

from __future__ import annotations

import numpy as np

from fusedfacts.schedules import loops
from fusedfacts.schedules.gradient_tiles import KeyGradients, plus, zeros
from fusedfacts.schedules.memory import Floats, Memory, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


def backward(shape: Shape, tiles: Tiles, memory: Memory) -> None:
    """Run its five kernels, from q, k, v, do and the forward pass's p.

    Each operand of a product is loaded once, k and v wholly; what is summed over queries stays on
    chip.
    """
    n_k, d = shape.n_k, shape.d
    rows = shape.group * shape.n_q
    memory.reserve("dp", rows, n_k)
    memory.reserve("ds", rows, n_k)
    memory.reserve("dq", rows, d)
    room = KeyGradients.reserved(shape, tiles, memory)
    for head, stream in enumerate(loops.streams(shape, tiles)):
        cut = list(loops.query_tiles(stream, tiles.br))
        place = (head * n_k, (head + 1) * n_k)

        memory.launch("dv")  # line 1
        total = zeros(memory.dry, n_k, d)
        for tile in cut:
            total = plus(total, transposed(memory.load("p", *tile), memory.load("do", *tile)))
        memory.store(room.dv, *place, total)

        memory.launch("dp")  # line 2
        v = memory.load("v", 0, n_k)
        for tile in cut:
            memory.store("dp", *tile, product(memory.load("do", *tile), v))

        memory.launch("ds")  # line 3
        for tile in cut:
            memory.store("ds", *tile, of_scores(memory.load("p", *tile), memory.load("dp", *tile)))

        memory.launch("dq")  # line 4
        k = memory.load("k", 0, n_k)
        for tile in cut:
            memory.store("dq", *tile, scaled(times(memory.load("ds", *tile), k)))

        memory.launch("dk")  # line 5
        total = zeros(memory.dry, n_k, d)
        for tile in cut:
            total = plus(total, transposed(memory.load("ds", *tile), memory.load("q", *tile)))
        memory.store(room.dk, *place, scaled(total))
    room.join(shape, tiles, memory)


@on_chip()
def transposed(table: Floats, rows: Floats) -> Floats:
    """Compute what some queries add to a sum over all of them."""
    return table.T @ rows


@on_chip()
def product(do: Floats, v: Floats) -> Floats:
    """Compute dP = dO V^T."""
    return do @ v.T


@on_chip()
def of_scores(p: Floats, dp: Floats) -> Floats:
    """Compute dS, with D as the mean of dP."""
    ds: Floats = p * (dp - (p * dp).sum(axis=1, keepdims=True))
    return ds


@on_chip()
def times(ds: Floats, k: Floats) -> Floats:
    """Compute dS K."""
    return ds @ k


@on_chip()
def scaled(sums: Floats) -> Floats:
    """Multiply by 1 / sqrt(d)."""
    return np.float32(1 / np.sqrt(sums.shape[1])) * sums
