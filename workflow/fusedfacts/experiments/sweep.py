"""One size of the traffic sweep: both methods executed, counted, compared and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fusedfacts.attention import problem, traffic
from fusedfacts.attention.compare import published, require_certified, require_equal
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem
from fusedfacts.attention.traffic import TABLE_CROSSINGS
from fusedfacts.claims.claim import BYTES, CHOSEN, OPERATIONS, Claim, Group, Section, chosen
from fusedfacts.emulator.methods import FUSED, UNFUSED
from fusedfacts.experiments.contract import CHOICE
from fusedfacts.numerics import rng
from fusedfacts.numerics.rounding import decimals


def size_results(n: int, d: int, seed: int) -> dict[str, Any]:
    """Compute traffic, arithmetic, error and bound of both methods at one size, on random inputs.

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
        executed = method.emulate(size, q, k, v)
        moved, arithmetic = executed.traffic(), executed.arithmetic()
        what = "emulator against formula"
        require_equal(moved, method.traffic(size), f"{name}: elements moved, {what}")
        require_equal(arithmetic, method.arithmetic(size), f"{name}: operations, {what}")
        figures_of[method.name] = {
            "bytes": traffic.total_bytes(moved),
            "elements": moved,
            "operations": arithmetic,
            **published(executed.output, bounded.exact, bound, name),
        }
    return {
        "n": n,
        "d": d,
        "query_rows": problem.query_rows(d),
        "key_rows": problem.fused_key_rows(d),
        "compulsory_bytes": traffic.compulsory_bytes(n, d),
        "table_bytes": traffic.table_bytes(n),
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
DONE = replace(
    SWEEP,
    does_not_prove="It counts the operations that the kernels' own statements ask for; what they"
    " cost on a device, and how many go on at a time, it does not say.",
)
CHOICES = replace(SWEEP, does_not_prove=CHOICE)
ERRORS = Group(
    "fusedfacts.experiments.sweep.size_results",
    ("settings.n_values", "settings.head_dims", "settings.seed"),
    "Every element is held against a float64 answer, within the bound derived for that element.",
    "It holds for these seeded inputs and this order of arithmetic; the bound is a worst case"
    " derived here and far above a typical error.",
)
MIB = 2**20
KERNELS = """
kernels.unfused | Unfused attention takes {} kernels: scores, softmax and mix. | kernels
    | #{kernels launched}
kernels.fused | Fused attention takes {} kernel. | kernels | #{kernels launched}
"""
CROSSINGS = """
traffic.table.crossings | Unfused, the table crosses between kernel and memory {} times: scores
    written and read, shares written and read. | crossings
    | (elements of s and p, loaded and stored) / n^2
"""
LENGTH = """
table | One head's score table for $words words takes {} bytes. | bytes | 4 n^2
table.mib | One head's score table for $words words takes $about{} MiB. | MiB | 4 n^2 / 2^20
"""
HEAD_DIM = """
query_rows | With $d numbers a head the fused kernel's query tile has {} rows. | rows | 2048 / d
key_rows | With $d numbers a head the fused kernel's key and value tiles have {} rows. | rows
    | 1024 / d
"""
METHOD = """
$method | $Method attention moves {} bytes to and from memory $at. | bytes | $formula
$method.mib | $Method attention moves $about{} MiB to and from memory $at. | MiB | ($formula) / 2^20
"""
OPERATION = "$kind | $Method attention does {} $kind $at. | operations | $formula"
DIFFERENCE = """
compulsory | Moving each of Q, K, V and O once takes {} bytes $at. | bytes | 16 n d
ratio | Unfused attention moves $about{} times the bytes of fused attention $at. | 1
    | ($unfused) / ($fused)
"""
MORE = "$kind | Fused attention does {} $more $kind than unfused $at. | operations | $formula"


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
    found = CHOICES.table("{}", KERNELS, values)
    return found + SWEEP.table("{}", CROSSINGS, {"traffic.table.crossings": crossings})


def head_dim_claims(size: dict[str, Any]) -> list[Claim]:
    """Claim one d: that it was chosen, and the tiles that follow from it."""
    d, row = size["d"], f"d | The sweep takes heads of {{}} numbers a word. | numbers | {CHOSEN}"
    found = chosen("head_dims").table(f"sizes.d{d}", row, size)
    return found + CHOICES.table(f"tiles.{{}}.d{d}", HEAD_DIM, size, size)


def length_claims(size: dict[str, Any]) -> list[Claim]:
    """Claim one n: that it was chosen, and the size of one head's score table."""
    n, row = size["n"], f"n | The sweep takes sequences of {{}} words. | words | {CHOSEN}"
    found = chosen("n_values").table(f"sizes.n{n}", row, size)
    exact = Fraction(size["table_bytes"], MIB)
    values = {"table": size["table_bytes"], "table.mib": decimals(exact)}
    words = {"words": f"{n:,}", "about": about(decimals(exact), exact)}
    return found + SWEEP.table(f"traffic.{{}}.n{n}", LENGTH, values, words)


def method_claims(size: dict[str, Any], method: str) -> list[Claim]:
    """Claim bytes, operations, errors and the smallest fault seen of one method at one size."""
    result, at, where = size[method], _at(size), _where(size)
    exact = Fraction(result["bytes"], MIB)
    values = {method: result["bytes"], f"{method}.mib": decimals(exact)}
    words = {"method": method, "Method": method.capitalize(), "at": where}
    words |= {"about": about(decimals(exact), exact), "formula": BYTES[method]}
    found = SWEEP.table(f"traffic.{{}}.{at}", METHOD, values, words)
    for kind, formula in OPERATIONS[method].items():
        words |= {"kind": kind, "formula": formula}
        identifier = f"operations.{method}.{{}}.{at}"
        found += DONE.table(identifier, OPERATION, result["operations"], words)
    return found + ERRORS.compared(f"values.{method}.{at}", f"{method} attention {where}", result)


def difference_claims(size: dict[str, Any]) -> list[Claim]:
    """Claim what must be moved at one size, and how far the two methods are apart."""
    fused, unfused, at = size["fused"], size["unfused"], _at(size)
    values = {"compulsory": size["compulsory_bytes"], "ratio": size["ratio"]}
    words = {"at": _where(size), **BYTES}
    words["about"] = about(size["ratio"], Fraction(unfused["bytes"], fused["bytes"]))
    found = SWEEP.table(f"traffic.{{}}.{at}", DIFFERENCE, values, words)
    for kind, formula in OPERATIONS["fused"].items():
        more = fused["operations"][kind] - unfused["operations"][kind]
        formulas = formula, OPERATIONS["unfused"][kind]
        larger, smaller = formulas if more >= 0 else reversed(formulas)
        name, words["more"] = ("extra", "more") if more >= 0 else ("fewer", "fewer")
        words |= {"kind": kind, "formula": f"{larger} - ({smaller})"}
        found += DONE.table(f"operations.{name}.{{}}.{at}", MORE, {kind: abs(more)}, words)
    return found


def _at(size: dict[str, Any]) -> str:
    return f"n{size['n']}.d{size['d']}"


def _where(size: dict[str, Any]) -> str:
    return f"for one head at n = {size['n']:,} and d = {size['d']}"


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
