"""What the emulated loops have in common: which rows belong together, and which keys they see."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fusedfacts.schedules.memory import Floats, on_chip
from fusedfacts.schedules.shape import Shape, Tiles


class Stream(NamedTuple):
    """Query rows that one walk serves: `rows` of them from `first`, `group` at each position."""

    first: int
    rows: int
    group: int

    def positions(self, first: int, last: int) -> tuple[int, int]:
        """Tell from which position to before which one rows `first` to before `last` stand."""
        return (first - self.first) // self.group, (last - 1 - self.first) // self.group + 1


def streams(shape: Shape, tiles: Tiles) -> list[Stream]:
    """Part the query rows of a head of keys: one head after another, or all packed.

    >>> [tuple(stream) for stream in streams(Shape(5, 5, 16, heads=2), Tiles(4, 4))]
    [(0, 5, 1), (5, 5, 1)]
    """
    n_q, group = shape.n_q, shape.group
    if tiles.packed:
        return [Stream(0, n_q * group, group)]
    return [Stream(head * n_q, n_q, 1) for head in range(group)]


def cut(first: int, last: int, rows: int) -> Iterator[tuple[int, int]]:
    """Cut a range at multiples of `rows`.

    >>> list(cut(3, 9, 4)), list(cut(3, 3, 4))
    ([(3, 4), (4, 8), (8, 9)], [])
    """
    while first < last:
        end = min(last, (first // rows + 1) * rows)
        yield first, end
        first = end


def query_tiles(
    stream: Stream, br: int, first: int = 0, last: int | None = None
) -> Iterator[tuple[int, int]]:
    """Cut the rows of positions `first` to before `last` into query tiles."""
    end = stream.rows if last is None else last * stream.group
    for a, b in cut(first * stream.group, end, br):
        yield stream.first + a, stream.first + b


def keys_seen(shape: Shape, first: int, last: int) -> tuple[int, int]:
    """Tell which keys queries at positions `first` to before `last` see between them.

    >>> keys_seen(Shape(2, 6, 16, causal=True), 0, 1), keys_seen(Shape(6, 2, 16, causal=True), 0, 1)
    ((0, 5), (0, 0))
    """
    before, after = shape.before, shape.after
    start = 0 if before is None else max(0, first + shape.off - before)
    end = shape.n_k if after is None else min(shape.n_k, last - 1 + shape.off + after + 1)
    return start, max(start, end)


def queries_seeing(shape: Shape, first: int, last: int) -> tuple[int, int]:
    """Tell at which positions queries see some of the keys `first` to before `last`.

    >>> queries_seeing(Shape(6, 6, 16, causal=True), 2, 4)
    (2, 6)
    """
    before, after = shape.before, shape.after
    start = 0 if after is None else max(0, first - shape.off - after)
    end = shape.n_q if before is None else min(shape.n_q, last - 1 - shape.off + before + 1)
    return start, max(start, end)


@on_chip()
def scores(
    q: Floats, k: Floats, shape: Shape, stream: Stream, first: int, first_key: int
) -> Floats:
    """Compute S = scale Q K^T of a tile, minus infinity where the query does not see the key."""
    scaled: Floats = q * np.float32(1 / math.sqrt(shape.d))
    s = scaled @ k.T
    at = (np.arange(first, first + len(q)) - stream.first) // stream.group + shape.off
    distance = np.arange(first_key, first_key + len(k))[None, :] - at[:, None]
    if shape.after is not None:
        s[distance > shape.after] = -np.inf
    if shape.before is not None:
        s[distance < -shape.before] = -np.inf
    return s
