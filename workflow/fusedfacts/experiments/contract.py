"""The constants of the arithmetic contract that documents quote, each held against the kernels'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fusedfacts.attention import problem, row_terms
from fusedfacts.attention.compare import require_equal
from fusedfacts.attention.traffic import BYTES_PER_FLOAT
from fusedfacts.claims.claim import Claim, Group, Section
from fusedfacts.kernels import manifest as kernels


def compute() -> dict[str, Any]:
    """Compute the constants, each held against the kernels' manifest.

    Raises
    ------
    ClaimError
        If the kernels' manifest has other tiles than the emulator.
    """
    listed = kernels.manifest()["kernels"]

    def by_d(value: Callable[[int], int]) -> dict[str, int]:
        return {f"d{d}": value(d) for d in problem.HEAD_DIMS}

    def of_kernel(name: str, constant: str) -> dict[str, int]:
        return by_d(lambda d: int(listed[name]["constants"][str(d)][constant]))

    for name, constant, expected in (
        ("mix", "BC", problem.MIX_KEY_ROWS.__getitem__),
        ("fused", "BC", problem.fused_key_rows),
        ("fused", "BR", problem.query_rows),
        ("softmax", "LANES", lambda d: problem.SOFTMAX_LANES),
    ):
        what = f"contract: {constant} of {name}"
        require_equal(of_kernel(name, constant), by_d(expected), what)
    return {
        "query_tile_bytes": BYTES_PER_FLOAT * problem.QUERY_TILE_FLOATS,
        "key_tile_bytes": BYTES_PER_FLOAT * problem.KEY_TILE_FLOATS,
        "softmax_lanes": problem.SOFTMAX_LANES,
        "first_stride": problem.SOFTMAX_LANES // 2,
        "head_dims": list(problem.HEAD_DIMS),
        "mix_key_rows": by_d(problem.MIX_KEY_ROWS.__getitem__),
        "fused_fast_key_rows": of_kernel("fused_fast", "BC"),
        "certified_theta": row_terms.CERTIFIED_THETA,
        "vanished": int(row_terms.VANISHED),
    }


CHOICE = (
    "It is a choice of this project's kernels, made to fit WebGPU's default limits; others choose"
    " otherwise."
)
CONTRACT = Group(
    "fusedfacts.experiments.contract.compute",
    ("kernels.manifest_sha256",),
    "The emulator's constants equal those of the kernels' manifest.",
    CHOICE,
)
BOUND = Group(
    "fusedfacts.experiments.contract.compute",
    ("kernels.manifest_sha256",),
    "docs/error-bound.md derives it, and the tests hold the bound to a literal reading of that"
    " page.",
    "It is a limit of the bound's derivation, not of any kernel or device.",
)
TILES = """
query_tile_bytes | The fused kernel's query tile takes {} bytes. | bytes | 4 * 2048
key_tile_bytes | The fused kernel's key tile takes {} bytes. | bytes | 4 * 1024
softmax_lanes | The softmax kernel sums a row in {} lanes. | lanes | a constant of the kernels
first_stride | The tree over the lanes begins with a stride of {}. | lanes | lanes / 2
"""
HEAD_DIM = "d | Head dimensions may be {}. | numbers | a constant of the kernels"
KEY_ROWS = """
mix_key_rows | At d = $d the mix kernel's key tiles have {} rows. | rows
    | a constant of the kernels
fused_fast_key_rows | At d = $d the fused_fast kernel's key tiles have {} rows. | rows
    | a constant of the kernels
"""
LIMITS = """
certified_theta | A row none of whose exponent errors exceeds {} is certified. | 1
    | a constant of docs/error-bound.md
vanished | A score {} below the largest, and more, gives a weight of zero in float32. | 1
    | a constant of docs/error-bound.md
"""


def claims(contract: dict[str, Any]) -> list[Claim]:
    """Claim each constant."""
    found = CONTRACT.table("contract.{}", TILES, contract)
    found += BOUND.table("contract.{}", LIMITS, contract)
    for d in contract["head_dims"]:
        found += CONTRACT.table(f"contract.head_dim.d{d}", HEAD_DIM, {"d": d})
        rows = {key: contract[key][f"d{d}"] for key in ("mix_key_rows", "fused_fast_key_rows")}
        found += CONTRACT.table(f"contract.{{}}.d{d}", KEY_ROWS, rows, {"d": d})
    return found


SECTION = Section(compute, claims, files=("kernels/manifest.json",))
