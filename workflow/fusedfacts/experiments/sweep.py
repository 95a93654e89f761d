"""One size of the traffic sweep: both ways executed, counted, compared and checked."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fusedfacts.attention import problem
from fusedfacts.attention import traffic as counts
from fusedfacts.attention.compare import (
    compare,
    figures,
    require_certified,
    require_equal,
    smallest_faults_seen,
)
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem
from fusedfacts.emulator.methods import FUSED, UNFUSED
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
    size, methods = Problem(n, d), (FUSED, UNFUSED)
    bounded = attention_bounds(q, k, v, [method.order(d) for method in methods])
    require_certified(bounded.certified, f"sweep, n {n}, d {d}")
    figures_of: dict[str, Any] = {}
    for method, bound in zip(methods, bounded.bounds, strict=True):
        name = f"{method.name}, n {n}, d {d}"
        launch = method.emulate(size, q, k, v)
        traffic, arithmetic = launch.traffic(), launch.arithmetic()
        for what, found, expected in (
            ("elements moved", traffic, method.traffic(size)),
            ("operations", arithmetic, method.arithmetic(size)),
        ):
            require_equal(found, expected, f"{name}: {what}, emulator against formula")
        figures_of[method.name] = {
            "bytes": counts.total_bytes(traffic),
            "elements": traffic,
            "operations": arithmetic,
            **figures(compare(launch.output, bounded.exact, bound), name),
            "smallest_fault_seen": smallest_faults_seen(launch.output, bounded.exact, bound),
        }
    return {
        "n": n,
        "d": d,
        "query_rows": problem.query_rows(d),
        "key_rows": problem.fused_key_rows(d),
        "compulsory_bytes": counts.compulsory_bytes(n, d),
        "table_bytes": counts.table_bytes(n),
        "ratio": decimals(Fraction(figures_of["unfused"]["bytes"], figures_of["fused"]["bytes"])),
        **figures_of,
    }
