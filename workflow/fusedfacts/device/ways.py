"""A way of computing attention, seen from all sides: formula, emulator and order of sums.

The device's `unfused`, `fused` and `fused_fast` differ in tile widths alone, so each has a
closed formula, an emulation and a bound.
"""

from __future__ import annotations

from typing import Any

from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import Order, fused_order, unfused_order
from fusedfacts.device.run import Floats
from fusedfacts.emulator import launch as emulator
from fusedfacts.kernels import manifest as kernels
from fusedfacts.numerics.exponential import Exponential

UNFUSED = "unfused"
FUSED_WAYS = ("fused", "fused_fast")
WAYS = (*FUSED_WAYS, UNFUSED)


def served(n: int) -> list[str]:
    """The ways that serve a length.

    >>> served(5_792), served(5_793)
    (['fused', 'fused_fast', 'unfused'], ['fused', 'fused_fast'])
    """
    most = {
        way: min(
            kernels.manifest()["kernels"][kernel]["n_most"] or n for kernel in kernels.names(way)
        )
        for way in WAYS
    }
    return [way for way in WAYS if n <= most[way]]


def key_rows(way: str, d: int) -> int | None:
    """Rows of a fused way's key tile in the manifest; None for the unfused way."""
    return None if way == UNFUSED else kernels.constants(way, d)["BC"]


def formula(way: str, n: int, d: int, causal: bool) -> dict[str, Any]:
    """Elements moved, {kernel: {buffer: {"loads", "stores"}}}, by the closed formula."""
    if way == UNFUSED:
        return traffic.unfused(n, d, causal)
    return {way: traffic.fused(n, d, causal)["fused"]}


def order(way: str, d: int, rows: int | None = None) -> Order:
    """The order of sums, which the bound needs."""
    return unfused_order(d) if way == UNFUSED else fused_order(d, rows or key_rows(way, d))


def emulated(
    way: str,
    q: Floats,
    k: Floats,
    v: Floats,
    *,
    causal: bool,
    exponential: Exponential,
    rows: int | None = None,
    rescale: bool = True,
) -> emulator.Launch:
    """The emulator's run of a way, with the device's own exp put in."""
    if way == UNFUSED:
        return emulator.unfused(q, k, v, causal=causal, exponential=exponential, keep_tables=True)
    launch = emulator.fused(
        q,
        k,
        v,
        causal=causal,
        exponential=exponential,
        key_rows=rows or key_rows(way, q.shape[1]),
        rescale=rescale,
    )
    launch.counts = {way: launch.counts["fused"]}
    return launch
