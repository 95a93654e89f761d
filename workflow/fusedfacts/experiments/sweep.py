"""One size of the traffic sweep: both ways executed, counted, compared and checked."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fusedfacts.attention import problem
from fusedfacts.attention import traffic as counts
from fusedfacts.attention.arithmetic import fused_order, unfused_order
from fusedfacts.attention.compare import check, smallest_faults_seen
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.results import must_be_certified, must_equal, published
from fusedfacts.emulator import launch as run
from fusedfacts.numerics import rng
from fusedfacts.numerics.rounding import decimals


def size_results(n: int, d: int, seed: int) -> dict[str, Any]:
    """Traffic, arithmetic, error and bound of both ways at one size, on random inputs.

    Raises
    ------
    ClaimError
        If the emulator's count differs from the closed formula in any buffer, or an answer lies
        outside its bound.
    """
    q, k, v = (rng.normal(seed, stream, (n, d)) for stream in range(3))
    bounded = attention_bounds(q, k, v, [fused_order(d), unfused_order(d)])
    must_be_certified(bounded.certified, f"sweep, n {n}, d {d}")
    formulas = {
        "fused": (counts.fused(n, d), counts.fused_arithmetic(n, d)),
        "unfused": (counts.unfused(n, d), counts.unfused_arithmetic(n, d)),
    }
    ways: dict[str, Any] = {}
    for way, bound, launch in (
        ("fused", bounded.bounds[0], run.fused(q, k, v)),
        ("unfused", bounded.bounds[1], run.unfused(q, k, v)),
    ):
        name = f"{way}, n {n}, d {d}"
        traffic, arithmetic = launch.traffic(), launch.arithmetic()
        must_equal(traffic, formulas[way][0], f"{name}: elements moved, emulator against formula")
        must_equal(arithmetic, formulas[way][1], f"{name}: operations, emulator against formula")
        ways[way] = {
            "bytes": counts.total_bytes(traffic),
            "elements": traffic,
            "operations": arithmetic,
            **published(check(launch.output, bounded.exact, bound), name),
            "smallest_fault_seen": smallest_faults_seen(launch.output, bounded.exact, bound),
        }
    return {
        "n": n,
        "d": d,
        "query_rows": problem.query_rows(d),
        "key_rows": problem.fused_key_rows(d),
        "compulsory_bytes": counts.compulsory_bytes(n, d),
        "table_bytes": counts.table_bytes(n),
        "ratio": decimals(Fraction(ways["unfused"]["bytes"], ways["fused"]["bytes"])),
        **ways,
    }
