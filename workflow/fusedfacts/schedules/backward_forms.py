"""Closed forms of backward schedules: elements moved by all heads, per kernel and buffer.

As `forward_forms`, nothing here looks at an emulator. Heads that share keys and are not packed
make gradients of K and V apart, which a last kernel sums.
"""

from __future__ import annotations

from fusedfacts.attention.traffic import Traffic
from fusedfacts.schedules import forward_forms
from fusedfacts.schedules.forward_forms import key_walk, scaled
from fusedfacts.schedules.shape import Shape, Tiles

Moves = dict[str, dict[str, tuple[int, int]]]


def standard(shape: Shape, tiles: Tiles) -> Traffic:
    """Count Algorithm 3: P and dS read twice, dP once, dP and dS written, all else once.

    >>> forms = standard(Shape(100, 100, 16), Tiles(8, 8))
    >>> sum(sum(moved.values()) for kernel in forms.values() for moved in kernel.values())
    82800
    """
    rows, keys, walks, parts = _sizes(shape, tiles)
    table = rows * shape.n_k
    return scaled(
        _heads(shape),
        {
            "dv": {"p": (table, 0), "do": (rows * shape.d, 0), parts + "dv": (0, keys)},
            "dp": {"do": (rows * shape.d, 0), "v": (keys, 0), "dp": (0, table)},
            "ds": {"p": (table, 0), "dp": (table, 0), "ds": (0, table)},
            "dq": {"ds": (table, 0), "k": (keys, 0), "dq": (0, rows * shape.d)},
            "dk": {"ds": (table, 0), "q": (rows * shape.d, 0), parts + "dk": (0, keys)},
        }
        | _reduce(shape, walks),
    )


def flash(shape: Shape, tiles: Tiles) -> Traffic:
    """Count FlashAttention's Algorithm 4: k and v once, all of a query for each key tile.

    >>> flash(Shape(100, 100, 16), Tiles(8, 32))["backward"]["dq"]
    {'loads': 6400, 'stores': 8000}
    """
    rows, keys, walks, parts = _sizes(shape, tiles)
    d, met, seen = shape.d, _met(shape, tiles), _seen(shape, tiles)
    of_keys = (0, keys + seen)  # initialised in global memory, too
    backward = {
        **dict.fromkeys(("q", "o", "do"), (met * d, 0)),
        **dict.fromkeys(("l", "m"), (met, 0)),
        **dict.fromkeys(("k", "v"), (seen, 0)),
        "dq": (met * d, (met + rows) * d),
        parts + "dk": of_keys,
        parts + "dv": of_keys,
    }
    return scaled(_heads(shape), {"backward": backward} | _reduce(shape, walks))


def flash2(shape: Shape, tiles: Tiles) -> Traffic:
    """Count FlashAttention-2's kernels: D beforehand, then k and v once.

    >>> flash2(Shape(100, 100, 16), Tiles(8, 32))["preprocess"]["o"]
    {'loads': 1600, 'stores': 0}
    """
    rows, keys, walks, parts = _sizes(shape, tiles)
    d, met, seen = shape.d, _met(shape, tiles), _seen(shape, tiles)
    preprocess = {
        "do": (rows * d, 0),
        "o": (rows * d, 0),
        "delta": (0, rows),
        "dq": (0, rows * d),
    }
    backward = {
        **dict.fromkeys(("q", "do"), (met * d, 0)),
        **dict.fromkeys(("lse", "delta"), (met, 0)),
        **dict.fromkeys(("k", "v"), (seen, 0)),
        "dq": (met * d, met * d),
        parts + "dk": (0, keys),
        parts + "dv": (0, keys),
    }
    return scaled(
        _heads(shape), {"preprocess": preprocess, "backward": backward} | _reduce(shape, walks)
    )


def compulsory(shape: Shape) -> dict[str, int]:
    """Count elements that no backward schedule can avoid: of the inputs what is seen, and results.

    What the forward pass kept can be computed anew, and is none of them.

    >>> sum(compulsory(Shape(4096, 4096, 64)).values()) == 7 * 4096 * 64
    True
    """
    forward = forward_forms.compulsory(shape)
    keys = shape.batch * shape.kv_heads * shape.n_k * shape.d
    inputs = {"q": forward["q"], "k": forward["k"], "v": forward["v"], "do": forward["q"]}
    return inputs | {"dq": forward["o"], "dk": keys, "dv": keys}


def _sizes(shape: Shape, tiles: Tiles) -> tuple[int, int, int, str]:
    """Give query rows of a head of keys, key elements of all walks, walks, and how parts begin."""
    walks = 1 if tiles.packed else shape.group
    parts = "partial_" if walks > 1 else ""
    return shape.group * shape.n_q, walks * shape.n_k * shape.d, walks, parts


def _heads(shape: Shape) -> int:
    """Count the heads of keys, which share nothing."""
    return shape.batch * shape.kv_heads


def _met(shape: Shape, tiles: Tiles) -> int:
    """Count query rows that all key tiles meet, for a head of keys."""
    return shape.group * key_walk(shape, tiles).met()


def _seen(shape: Shape, tiles: Tiles) -> int:
    """Count elements of the key tiles that some query sees, in all walks of a head of keys."""
    walks = 1 if tiles.packed else shape.group
    return walks * key_walk(shape, tiles).rows_meeting() * shape.d


def _reduce(shape: Shape, walks: int) -> Moves:
    """Count the kernel that sums the gradients of K and V of heads that share them."""
    if walks == 1:
        return {}
    keys = shape.n_k * shape.d
    moves: dict[str, tuple[int, int]] = {}
    for name in ("dk", "dv"):
        moves |= {f"partial_{name}": (walks * keys, 0), name: (0, keys)}
    return {"reduce": moves}
