"""The constants of the arithmetic contract that documents quote, each held against the kernels'."""

from __future__ import annotations

from typing import Any

from fusedfacts import bound, kernels, tiling
from fusedfacts.counts import BYTES_PER_FLOAT
from fusedfacts.results import must_equal


def results() -> dict[str, Any]:
    """The section `contract` of facts.json.

    Raises
    ------
    ClaimError
        If the kernels' manifest has other tiles than the emulator.
    """
    listed = kernels.manifest()["kernels"]

    def of_kernel(name: str, constant: str) -> dict[str, int]:
        by_d = listed[name]["constants"]
        return {f"d{d}": int(by_d[str(d)][constant]) for d in tiling.HEAD_DIMS}

    found = {
        "query_tile_bytes": BYTES_PER_FLOAT * tiling.QUERY_TILE_FLOATS,
        "key_tile_bytes": BYTES_PER_FLOAT * tiling.KEY_TILE_FLOATS,
        "softmax_lanes": tiling.SOFTMAX_LANES,
        "first_stride": tiling.SOFTMAX_LANES // 2,
        "head_dims": list(tiling.HEAD_DIMS),
        "mix_key_rows": {f"d{d}": tiling.mix_key_rows(d) for d in tiling.HEAD_DIMS},
        "fused_fast_key_rows": of_kernel("fused_fast", "BC"),
        "certified_theta": bound.CERTIFIED_THETA,
        "vanished": int(bound.VANISHED),
    }
    for name, constant, expected in (
        ("mix", "BC", found["mix_key_rows"]),
        ("fused", "BC", {f"d{d}": tiling.fused_key_rows(d) for d in tiling.HEAD_DIMS}),
        ("fused", "BR", {f"d{d}": tiling.query_rows(d) for d in tiling.HEAD_DIMS}),
        ("softmax", "LANES", {f"d{d}": tiling.SOFTMAX_LANES for d in tiling.HEAD_DIMS}),
    ):
        must_equal(of_kernel(name, constant), expected, f"contract: {constant} of {name}")
    return found
