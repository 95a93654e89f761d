"""One size of the traffic sweep: both ways executed, counted, compared and checked."""

from __future__ import annotations

from collections.abc import Sequence
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
from fusedfacts.attention.traffic import TABLE_CROSSINGS
from fusedfacts.claims.claim import (
    CHOSEN,
    FUSED_BYTES,
    FUSED_OPERATIONS,
    UNFUSED_BYTES,
    UNFUSED_OPERATIONS,
    Claim,
    Group,
    Section,
    chosen,
)
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


def compute(*, d: int, n_values: Sequence[int], seed: int) -> list[dict[str, Any]]:
    """Compute some sizes of one d."""
    return [size_results(n, d, seed) for n in n_values]


SWEEP = Group(
    "fusedfacts.experiments.sweep.size_results",
    ("settings.n_values", "settings.head_dims", "settings.seed"),
    "An emulator executes the kernels on counted memory; its counts equal the closed "
    "formula in every buffer, loads and stores apart, and the kernels' own counts on a "
    "device are held to both in the tests.",
    "It counts the float32 accesses that the kernels' own statements ask for; it is no time, no"
    " cache miss and no DRAM transaction, and a compiler may merge loads.",
)
ERRORS = Group(
    "fusedfacts.experiments.sweep.size_results",
    ("settings.n_values", "settings.head_dims", "settings.seed"),
    "Every element is held against a float64 answer, within the bound derived for that element.",
    "It holds for these seeded inputs and this order of arithmetic; the bound is a worst case"
    " derived here and far above a typical error.",
)
MIB = 2**20
BYTES = {"fused": FUSED_BYTES, "unfused": UNFUSED_BYTES}
OPERATIONS = {"fused": FUSED_OPERATIONS, "unfused": UNFUSED_OPERATIONS}
LAUNCHED = "#{kernels launched}"
WHOLE = (
    (
        "kernels.unfused",
        "Unfused attention takes {} kernels: scores, softmax and mix.",
        "kernels",
        LAUNCHED,
    ),
    ("kernels.fused", "Fused attention takes {} kernel.", "kernels", LAUNCHED),
    (
        "traffic.table.crossings",
        "Unfused, the table crosses between kernel and memory {} times: scores written and read,"
        " shares written and read.",
        "crossings",
        "(elements of s and p, loaded and stored) / n^2",
    ),
)


def about(shown: float, exact: Fraction) -> str:
    """Give the word that tells a rounded value from an exact one.

    >>> about(0.3333, Fraction(1, 3)), about(1.8, Fraction(9, 5))
    ('about ', '')
    """
    return "" if Fraction(str(shown)) == exact else "about "


def whole_claims(size: dict[str, Any]) -> list[Claim]:
    """Claim how many kernels each method takes, and how often the table crosses."""
    moved = sum(
        buffers[name][access]
        for buffers in size["unfused"]["elements"].values()
        for name in ("s", "p")
        if name in buffers
        for access in ("loads", "stores")
    )
    crossings = moved // size["n"] ** 2
    require_equal(crossings, TABLE_CROSSINGS, "table crossings counted by the emulator")
    values = {f"kernels.{method}": len(size[method]["elements"]) for method in BYTES}
    values["traffic.table.crossings"] = crossings
    return [
        SWEEP.claim(key, statement, values[key], unit, formula)
        for key, statement, unit, formula in WHOLE
    ]


def head_dim_claims(size: dict[str, Any]) -> list[Claim]:
    """Claim one d: that it was chosen, and the tiles that follow from it."""
    d = size["d"]
    words = f"With {d} numbers a head the fused kernel's"
    query, keys = (
        f"{words} query tile has {{}} rows.",
        f"{words} key and value tiles have {{}} rows.",
    )
    heads = "The sweep takes heads of {} numbers a word."
    return [
        chosen("head_dims").claim(f"sizes.d{d}", heads, d, "numbers", CHOSEN),
        SWEEP.claim(f"tiles.query_rows.d{d}", query, size["query_rows"], "rows", "2048 / d"),
        SWEEP.claim(f"tiles.key_rows.d{d}", keys, size["key_rows"], "rows", "1024 / d"),
    ]


def length_claims(size: dict[str, Any]) -> list[Claim]:
    """Claim one n: that it was chosen, and the size of one head's score table."""
    n, table = size["n"], size["table_bytes"]
    exact = Fraction(table, MIB)
    mib = decimals(exact)
    words = f"One head's score table for {n:,} words takes"
    lengths, in_mib = "The sweep takes sequences of {} words.", f"{about(mib, exact)}{{}} MiB."
    return [
        chosen("n_values").claim(f"sizes.n{n}", lengths, n, "words", CHOSEN),
        SWEEP.claim(f"traffic.table.n{n}", f"{words} {{}} bytes.", table, "bytes", "4 n^2"),
        SWEEP.claim(f"traffic.table.mib.n{n}", f"{words} {in_mib}", mib, "MiB", "4 n^2 / 2^20"),
    ]


def method_claims(size: dict[str, Any], method: str) -> list[Claim]:
    """Claim bytes, operations, errors and the smallest fault seen of one method at one size."""
    n, d, result = size["n"], size["d"], size[method]
    at, words = f"n{n}.d{d}", f"for one head at n = {n:,} and d = {d}"
    formula, begin = BYTES[method], f"{method.capitalize()} attention"
    exact = Fraction(result["bytes"], MIB)
    mib = decimals(exact)
    moves = f"{begin} moves {about(mib, exact)}{{}} MiB to and from memory {words}."
    identifier, what = f"values.{method}.{at}", f"{method} attention {words}"
    return [
        SWEEP.claim(
            f"traffic.{method}.{at}",
            f"{begin} moves {{}} bytes to and from memory {words}.",
            result["bytes"],
            "bytes",
            formula,
        ),
        SWEEP.claim(f"traffic.{method}.mib.{at}", moves, mib, "MiB", f"({formula}) / 2^20"),
        *(
            SWEEP.claim(
                f"operations.{method}.{kind}.{at}",
                f"{begin} does {{}} {kind} {words}.",
                count,
                "operations",
                OPERATIONS[method][kind],
            )
            for kind, count in result["operations"].items()
        ),
        *ERRORS.compared(identifier, what, result),
        *ERRORS.faults_seen(identifier, what, result["smallest_fault_seen"]),
    ]


def difference_claims(size: dict[str, Any]) -> list[Claim]:
    """Claim what must be moved at one size, and how far the two methods are apart."""
    n, d = size["n"], size["d"]
    fused, unfused = size["fused"], size["unfused"]
    ratio = Fraction(unfused["bytes"], fused["bytes"])
    at, words = f"n{n}.d{d}", f"for one head at n = {n:,} and d = {d}"
    found = [
        SWEEP.claim(
            f"traffic.compulsory.{at}",
            f"Moving each of Q, K, V and O once takes {{}} bytes {words}.",
            size["compulsory_bytes"],
            "bytes",
            "16 n d",
        ),
        SWEEP.claim(
            f"traffic.ratio.{at}",
            f"Unfused attention moves {about(size['ratio'], ratio)}{{}} times the bytes of fused"
            f" attention {words}.",
            size["ratio"],
            "1",
            f"({UNFUSED_BYTES}) / ({FUSED_BYTES})",
        ),
    ]
    for kind in fused["operations"]:
        more = fused["operations"][kind] - unfused["operations"][kind]
        name, comparison = ("extra", "more") if more >= 0 else ("fewer", "fewer")
        larger, smaller = ("fused", "unfused") if more >= 0 else ("unfused", "fused")
        found.append(
            SWEEP.claim(
                f"operations.{name}.{kind}.{at}",
                f"Fused attention does {{}} {comparison} {kind} than unfused {words}.",
                abs(more),
                "operations",
                f"{OPERATIONS[larger][kind]} - ({OPERATIONS[smaller][kind]})",
            )
        )
    return found


def claims(sizes: list[dict[str, Any]]) -> list[Claim]:
    """Claim all that follows from the sweep."""
    found = whole_claims(sizes[0])
    for size in {size["d"]: size for size in sizes}.values():
        found += head_dim_claims(size)
    for size in {size["n"]: size for size in sizes}.values():
        found += length_claims(size)
    for size in sizes:
        found += difference_claims(size)
        for method in BYTES:
            found += method_claims(size, method)
    return found


SECTION = Section(compute, claims)
