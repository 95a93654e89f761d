"""Closed forms of forward schedules: elements moved by all heads, per kernel and buffer.

Nothing here looks at an emulator: `sums.Walk` and a `Shape`'s sizes are all it knows. All forms are
O(1), or O(log) where heads are packed, so n = 2**40 answers at once. docs/schedules.md derives
them.
"""

from __future__ import annotations

from fusedfacts.attention.traffic import Traffic
from fusedfacts.schedules.shape import Shape, Tiles
from fusedfacts.schedules.sums import Walk


def query_walk(shape: Shape, tiles: Tiles, br: int | None = None) -> Walk:
    """Describe a loop over query tiles, each of which meets keys."""
    back, forth = _reach(shape)
    group = shape.group if tiles.packed else 1
    return Walk(shape.n_q, shape.n_k, br or tiles.br, group, back, forth)


def key_walk(shape: Shape, tiles: Tiles) -> Walk:
    """Describe a loop over key tiles, each of which meets queries."""
    back, forth = _reach(shape)
    return Walk(shape.n_k, shape.n_q, tiles.bc, 1, forth, back)


def _reach(shape: Shape) -> tuple[int | None, int | None]:
    """Tell how many keys before and after key p the query p sees; either may be below 0."""
    before, after = shape.before, shape.after
    back = None if before is None else before - shape.off
    return back, None if after is None else after + shape.off


def query_rows(shape: Shape, tiles: Tiles) -> int:
    """Count the query rows that one walk serves."""
    return shape.n_q * (shape.group if tiles.packed else 1)


def walks(shape: Shape, tiles: Tiles) -> int:
    """Count the walks that are made: one a head of queries, or of keys where those are packed."""
    return shape.batch * (shape.kv_heads if tiles.packed else shape.heads)


def scaled(times: int, kernels: dict[str, dict[str, tuple[int, int]]]) -> Traffic:
    """Multiply (loads, stores) of one walk, for heads and batches share nothing."""
    return {
        kernel: {
            buffer: {"loads": times * loads, "stores": times * stores}
            for buffer, (loads, stores) in buffers.items()
        }
        for kernel, buffers in kernels.items()
    }


def pairs(shape: Shape) -> int:
    """Count the (query, key) pairs that are seen, in all heads.

    >>> pairs(Shape(24, 24, 16, causal=True)), pairs(Shape(1, 100, 16, window=(9, 0)))
    (300, 10)
    """
    of_head = query_walk(shape, Tiles(1, 1)).met()
    return shape.batch * shape.heads * of_head


def compulsory(shape: Shape) -> dict[str, int]:
    """Count elements that no forward schedule can avoid: of q, k and v what is seen, and o.

    >>> compulsory(Shape(4096, 4096, 64))
    {'q': 262144, 'k': 262144, 'v': 262144, 'o': 262144}
    """
    d, batch = shape.d, shape.batch
    queries = query_walk(shape, Tiles(1, 1)).rows_meeting()
    _, start = query_walk(shape, Tiles(1, 1), br=shape.n_q).last()
    keys = batch * shape.kv_heads * (shape.n_k - start) * d
    heads = batch * shape.heads * d
    return {"q": heads * queries, "k": keys, "v": keys, "o": heads * shape.n_q}


def standard(shape: Shape, tiles: Tiles) -> Traffic:
    """Count Algorithm 0: S written and read, P written and read, all else once."""
    d, rows, keys = shape.d, query_rows(shape, tiles), shape.n_k
    table = rows * keys
    return scaled(
        walks(shape, tiles),
        {
            "scores": {"q": (rows * d, 0), "k": (keys * d, 0), "s": (0, table)},
            "softmax": {"s": (table, 0), "p": (0, table)},
            "mix": {"p": (table, 0), "v": (keys * d, 0), "o": (0, rows * d)},
        },
    )


def flash(shape: Shape, tiles: Tiles) -> Traffic:
    """Count FlashAttention's Algorithm 1: k and v once, q, o, l and m for each key tile.

    >>> flash(Shape(100, 100, 16), Tiles(8, 32))["forward"]["o"]
    {'loads': 6400, 'stores': 8000}
    """
    d, rows, walk = shape.d, query_rows(shape, tiles), key_walk(shape, tiles)
    keys = walk.rows_meeting() * d
    met = walk.met() * (rows // shape.n_q)
    statistics = (met, met + rows)  # initialised in global memory, too
    buffers = {
        "q": (met * d, 0),
        "k": (keys, 0),
        "v": (keys, 0),
        "o": (met * d, (met + rows) * d),
        "l": statistics,
        "m": statistics,
    }
    return scaled(walks(shape, tiles), {"forward": buffers})


def flash2(shape: Shape, tiles: Tiles) -> Traffic:
    """Count FlashAttention-2's forward: q once, k and v for each query tile.

    >>> flash2(Shape(100, 100, 16), Tiles(32, 8))["forward"]["k"]
    {'loads': 6400, 'stores': 0}
    """
    d, rows, walk = shape.d, query_rows(shape, tiles), query_walk(shape, tiles)
    met = walk.met() * d
    buffers = {
        "q": (walk.rows_meeting() * d, 0),
        "k": (met, 0),
        "v": (met, 0),
        "o": (0, rows * d),
        "lse": (0, rows),
    }
    return scaled(walks(shape, tiles), {"forward": buffers})


def splitk(shape: Shape, tiles: Tiles) -> Traffic:
    """Count split-K: each split of the keys has a partial answer, and a second kernel joins them.

    >>> splitk(Shape(1, 100, 16), Tiles(1, 16, splits=3))["reduce"]["partial_lse"]
    {'loads': 3, 'stores': 0}
    """
    d, rows, walk = shape.d, query_rows(shape, tiles), query_walk(shape, tiles)
    met, partials = walk.met() * d, tiles.real_splits(shape.n_k) * rows
    # A query tile is fetched for each split in which it sees a key; the last may be smaller.
    blocks, span = walk.blocks_met(tiles.split_keys(shape.n_k)), tiles.split_keys(shape.n_k)
    last_rows, start = walk.last()
    last_blocks = -(-shape.n_k // span) - start // span
    queries = blocks * walk.tile - last_blocks * (walk.tile - last_rows)
    split = {
        "q": (queries * d, 0),
        "k": (met, 0),
        "v": (met, 0),
        "partial_o": (0, partials * d),
        "partial_lse": (0, partials),
    }
    reduce = {
        "partial_o": (partials * d, 0),
        "partial_lse": (partials, 0),
        "o": (0, rows * d),
    }
    return scaled(walks(shape, tiles), {"split": split, "reduce": reduce})
