"""The constants of the arithmetic contract that documents quote, each held against the kernels'."""

from __future__ import annotations

from typing import Any

from fusedfacts.attention import error_bound, problem
from fusedfacts.attention.compare import require_equal
from fusedfacts.attention.traffic import BYTES_PER_FLOAT
from fusedfacts.kernels import manifest as kernels


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
        return {f"d{d}": int(by_d[str(d)][constant]) for d in problem.HEAD_DIMS}

    found = {
        "query_tile_bytes": BYTES_PER_FLOAT * problem.QUERY_TILE_FLOATS,
        "key_tile_bytes": BYTES_PER_FLOAT * problem.KEY_TILE_FLOATS,
        "softmax_lanes": problem.SOFTMAX_LANES,
        "first_stride": problem.SOFTMAX_LANES // 2,
        "head_dims": list(problem.HEAD_DIMS),
        "mix_key_rows": {f"d{d}": problem.mix_key_rows(d) for d in problem.HEAD_DIMS},
        "fused_fast_key_rows": of_kernel("fused_fast", "BC"),
        "certified_theta": error_bound.CERTIFIED_THETA,
        "vanished": int(error_bound.VANISHED),
    }
    for name, constant, expected in (
        ("mix", "BC", found["mix_key_rows"]),
        ("fused", "BC", {f"d{d}": problem.fused_key_rows(d) for d in problem.HEAD_DIMS}),
        ("fused", "BR", {f"d{d}": problem.query_rows(d) for d in problem.HEAD_DIMS}),
        ("softmax", "LANES", {f"d{d}": problem.SOFTMAX_LANES for d in problem.HEAD_DIMS}),
    ):
        require_equal(of_kernel(name, constant), expected, f"contract: {constant} of {name}")
    return found
