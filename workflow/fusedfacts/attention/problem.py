"""How the work is cut: tile sizes, and which keys a query may see.

The sizes follow from 16 KiB of workgroup memory, WebGPU's default limit: 8 KiB for the query
tile, 4 KiB each for a key tile and a value tile, in float32.
"""

from __future__ import annotations

from fusedfacts.errors import FactsError

HEAD_DIMS = (16, 32, 64, 128)
QUERY_TILE_FLOATS = 2048  # 8 KiB
KEY_TILE_FLOATS = 1024  # 4 KiB
SCORES_KEY_ROWS_MOST = 32  # the scores kernel has no value tile, but keeps its key tile small
MIX_KEY_ROWS = {16: 16, 32: 32, 64: 32, 128: 16}
SOFTMAX_LANES = 256  # invocations of one workgroup, WebGPU's default limit


def check_size(n: int, d: int) -> None:
    """Refuse a size that no kernel serves.

    Raises
    ------
    FactsError
        If `n` < 1 or `d` is not one of 16, 32, 64, 128.
    """
    if n < 1:
        raise FactsError(
            f"n: found {n}, expected a whole number of at least 1; choose such a length"
        )
    if d not in HEAD_DIMS:
        served = ", ".join(map(str, HEAD_DIMS))
        raise FactsError(f"d: found {d}, expected one of {served}; choose one that kernels serve")


def query_rows(d: int) -> int:
    """`br`, the rows of a query tile.

    >>> [query_rows(d) for d in HEAD_DIMS]
    [128, 64, 32, 16]
    """
    return QUERY_TILE_FLOATS // d


def fused_key_rows(d: int) -> int:
    """`bc` of the fused kernel, the rows of its key and value tiles.

    >>> [fused_key_rows(d) for d in HEAD_DIMS]
    [64, 32, 16, 8]
    """
    return KEY_TILE_FLOATS // d


def scores_key_rows(d: int) -> int:
    """Rows of a key tile in the scores kernel.

    >>> [scores_key_rows(d) for d in HEAD_DIMS]
    [32, 32, 32, 16]
    """
    return min(SCORES_KEY_ROWS_MOST, QUERY_TILE_FLOATS // d)


def mix_key_rows(d: int) -> int:
    """Rows of a value tile in the mix kernel."""
    return MIX_KEY_ROWS[d]


def ceil_div(a: int, b: int) -> int:
    """The least whole number not below a / b.

    >>> ceil_div(7, 3), ceil_div(6, 3)
    (3, 2)
    """
    return -(-a // b)
