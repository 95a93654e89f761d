"""Closed forms: elements that each kernel moves, per buffer, and the arithmetic it does.

Nothing here looks at an emulator or a kernel: it is one of three independent computations
of the same count. All forms are O(1), so n = 2**40 answers at once. docs/counts.md derives them.
"""

from __future__ import annotations

from collections.abc import Callable

from fusedfacts.attention.problem import ceil_div, check_size, fused_key_rows, query_rows

Traffic = dict[str, dict[str, dict[str, int]]]
BYTES_PER_FLOAT = 4
TABLE_CROSSINGS = 4  # scores written, scores read, shares written, shares read


def pairs(n: int, causal: bool) -> int:
    """Count the (query, key) pairs that are looked at.

    >>> pairs(24, causal=True), pairs(24, causal=False)
    (300, 576)
    """
    return n * (n + 1) // 2 if causal else n * n


def key_elements(n: int, d: int, causal: bool) -> int:
    """Count elements of K (and as many of V) that all query tiles together fetch.

    Full: every tile fetches all n rows. Causal: tile t fetches rows up to min((t + 1) br, n).
    """
    br = query_rows(d)
    if not causal:
        return n * d * ceil_div(n, br)
    whole, rest = divmod(n, br)
    return d * (br * whole * (whole + 1) // 2 + (n if rest else 0))


def fused(n: int, d: int, causal: bool = False) -> Traffic:
    """Count elements that the fused kernel moves: Q and O once, K and V once a query tile.

    >>> total_bytes(fused(4096, 16)), total_bytes(fused(4096, 64))
    (17301504, 270532608)
    """
    check_size(n, d)
    fetched = key_elements(n, d, causal)
    return {
        "fused": {
            "q": {"loads": n * d, "stores": 0},
            "k": {"loads": fetched, "stores": 0},
            "v": {"loads": fetched, "stores": 0},
            "o": {"loads": 0, "stores": n * d},
        }
    }


def kv_outer(n: int, d: int, causal: bool = False, key_rows: int | None = None) -> Traffic:
    """Count elements that Algorithm 1's loop order moves, initial values and then key tiles.

    K and V once; Q, the answer, the maxima m and the totals l once for each key tile that a row
    sees a key of.

    >>> total_bytes(kv_outer(4096, 16)), total_bytes(kv_outer(4096, 64))
    (55345152, 825262080)
    """
    check_size(n, d)
    tiles = row_tiles(n, key_rows or fused_key_rows(d), causal)
    each = {"loads": tiles, "stores": tiles}
    return {
        "kv_start": {
            "o": {"loads": 0, "stores": n * d},
            "m": {"loads": 0, "stores": n},
            "l": {"loads": 0, "stores": n},
        },
        "kv_outer": {
            "q": {"loads": tiles * d, "stores": 0},
            "k": {"loads": n * d, "stores": 0},
            "v": {"loads": n * d, "stores": 0},
            "o": {"loads": tiles * d, "stores": tiles * d},
            "m": each,
            "l": dict(each),
        },
    }


def unfused(n: int, d: int, causal: bool = False) -> Traffic:
    """Count elements that the unfused kernels move: the fused ones and four table crossings.

    >>> total_bytes(unfused(4096, 16)), total_bytes(unfused(4096, 64))
    (285736960, 538968064)
    """
    check_size(n, d)
    fetched, table = key_elements(n, d, causal), pairs(n, causal)
    return {
        "scores": {
            "q": {"loads": n * d, "stores": 0},
            "k": {"loads": fetched, "stores": 0},
            "s": {"loads": 0, "stores": table},
        },
        "softmax": {"s": {"loads": table, "stores": 0}, "p": {"loads": 0, "stores": table}},
        "mix": {
            "v": {"loads": fetched, "stores": 0},
            "o": {"loads": 0, "stores": n * d},
            "p": {"loads": table, "stores": 0},
        },
    }


def total_bytes(traffic: Traffic) -> int:
    """Add up the bytes of all accesses of all kernels."""
    return BYTES_PER_FLOAT * sum(
        access["loads"] + access["stores"]
        for buffers in traffic.values()
        for access in buffers.values()
    )


def compulsory_bytes(n: int, d: int) -> int:
    """Count bytes that no method can avoid: each of Q, K, V and O once.

    >>> compulsory_bytes(4096, 64)
    4194304
    """
    return 4 * BYTES_PER_FLOAT * n * d


def table_bytes(n: int) -> int:
    """Count bytes of one score table of n by n float32 numbers.

    >>> table_bytes(4096) == 64 * 2**20
    True
    """
    return BYTES_PER_FLOAT * n * n


def row_tiles(n: int, width: int, causal: bool) -> int:
    """Count key tiles that all rows meet: one for each tile with a key that the row sees."""
    if not causal:
        return n * ceil_div(n, width)
    whole, rest = divmod(n, width)
    return width * whole * (whole + 1) // 2 + rest * (whole + 1)


def fused_arithmetic(
    n: int, d: int, causal: bool = False, key_rows: int | None = None
) -> dict[str, int]:
    """Count operations of the fused kernel, by kind (a subtraction is an addition)."""
    check_size(n, d)
    seen, tiles = pairs(n, causal), row_tiles(n, key_rows or fused_key_rows(d), causal)
    return {
        "multiplications": n * d + 2 * seen * d + tiles * (1 + d),
        "additions": 2 * seen * d + 2 * seen + tiles,
        "exps": seen + tiles,
        "divisions": n * d,
        "comparisons": seen - n,
    }


def kv_outer_arithmetic(
    n: int, d: int, causal: bool = False, key_rows: int | None = None
) -> dict[str, int]:
    """Count operations of Algorithm 1's loop order, by kind."""
    check_size(n, d)
    seen, tiles = pairs(n, causal), row_tiles(n, key_rows or fused_key_rows(d), causal)
    return {
        "multiplications": 2 * seen * d + tiles * (2 + 3 * d),
        "additions": 2 * seen * d + 2 * seen + 2 * tiles,
        "exps": seen + 2 * tiles,
        "divisions": tiles * d,
        "comparisons": seen,
    }


def unfused_arithmetic(n: int, d: int, causal: bool = False) -> dict[str, int]:
    """Count operations of the three unfused kernels together, by kind."""
    check_size(n, d)
    seen = pairs(n, causal)
    return {
        "multiplications": n * d + 2 * seen * d,
        "additions": 2 * seen * d + 2 * seen - n,
        "exps": seen,
        "divisions": seen,
        "comparisons": seen - n,
    }


# By method, in the order of the alphabet, of n, d and causal; fused_fast moves what fused does.
ELEMENTS: dict[str, Callable[..., Traffic]] = {
    "fused": fused,
    "kv_outer": kv_outer,
    "unfused": unfused,
}
ARITHMETIC: dict[str, Callable[..., dict[str, int]]] = {
    "fused": fused_arithmetic,
    "kv_outer": kv_outer_arithmetic,
    "unfused": unfused_arithmetic,
}
