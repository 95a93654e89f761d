"""Claims about bytes and operations, one set for each size of the sweep."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fusedfacts.attention.compare import require_equal
from fusedfacts.attention.traffic import TABLE_CROSSINGS
from fusedfacts.claims.claim import Group, chosen
from fusedfacts.numerics.rounding import decimals

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
WAYS = ("fused", "unfused")


def about(shown: float, exact: Fraction) -> str:
    """The word that tells a rounded value from an exact one.

    >>> about(0.3333, Fraction(1, 3)), about(1.8, Fraction(9, 5))
    ('about ', '')
    """
    return "" if Fraction(str(shown)) == exact else "about "


def kernel_claims(sizes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many kernels each way takes, and how often the table crosses to or from memory."""
    moved = sum(
        buffers[name][access]
        for buffers in sizes[0]["unfused"]["elements"].values()
        for name in ("s", "p")
        if name in buffers
        for access in ("loads", "stores")
    )
    crossings = moved // sizes[0]["n"] ** 2
    require_equal(crossings, TABLE_CROSSINGS, "table crossings counted by the emulator")
    return [
        SWEEP.claim(
            "kernels.unfused",
            "Unfused attention takes {} kernels: scores, softmax and mix.",
            len(sizes[0]["unfused"]["elements"]),
            "kernels",
        ),
        SWEEP.claim(
            "kernels.fused",
            "Fused attention takes {} kernel.",
            len(sizes[0]["fused"]["elements"]),
            "kernels",
        ),
        SWEEP.claim(
            "traffic.table.crossings",
            "Unfused, the table crosses between kernel and memory {} times: scores written and"
            " read, shares written and read.",
            crossings,
            "crossings",
        ),
    ]


def tile_claims(sizes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the query and key tiles for each d."""
    claims = []
    for d, size in sorted({size["d"]: size for size in sizes}.items()):
        for name, words in (
            ("query_rows", "query tile has"),
            ("key_rows", "key and value tiles have"),
        ):
            claims.append(
                SWEEP.claim(
                    f"tiles.{name}.d{d}",
                    f"With {d} numbers a head the fused kernel's {words} {{}} rows.",
                    size[name],
                    "rows",
                )
            )
    return claims


def setting_claims(sizes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sizes themselves, so that prose can quote what a number is for."""
    lengths, dims = chosen("n_values"), chosen("head_dims")
    return [
        *(
            lengths.claim(f"sizes.n{n}", "The sweep takes sequences of {} words.", n, "words")
            for n in sorted({size["n"] for size in sizes})
        ),
        *(
            dims.claim(f"sizes.d{d}", "The sweep takes heads of {} numbers a word.", d, "numbers")
            for d in sorted({size["d"] for size in sizes})
        ),
    ]


def size_claims(size: dict[str, Any]) -> list[dict[str, Any]]:
    """Bytes, ratio, operations, errors and the smallest fault seen at one size."""
    n, d = size["n"], size["d"]
    ratio = Fraction(size["unfused"]["bytes"], size["fused"]["bytes"])
    at, words = f"n{n}.d{d}", f"for one head at n = {n:,} and d = {d}"
    claims = [
        SWEEP.claim(
            f"traffic.compulsory.{at}",
            f"Moving each of Q, K, V and O once takes {{}} bytes {words}.",
            size["compulsory_bytes"],
            "bytes",
        ),
        SWEEP.claim(
            f"traffic.ratio.{at}",
            f"Unfused attention moves {about(size['ratio'], ratio)}{{}} times the bytes of fused"
            f" attention {words}.",
            size["ratio"],
            "1",
        ),
    ]
    for way in WAYS:
        result = size[way]
        exact_mib = Fraction(result["bytes"], MIB)
        mib = decimals(exact_mib)
        claims.append(
            SWEEP.claim(
                f"traffic.{way}.{at}",
                f"{way.capitalize()} attention moves {{}} bytes to and from memory {words}.",
                result["bytes"],
                "bytes",
            )
        )
        claims.append(
            SWEEP.claim(
                f"traffic.{way}.mib.{at}",
                f"{way.capitalize()} attention moves {about(mib, exact_mib)}{{}} MiB to and from"
                f" memory {words}.",
                mib,
                "MiB",
            )
        )
        for kind, count in result["operations"].items():
            claims.append(
                SWEEP.claim(
                    f"operations.{way}.{kind}.{at}",
                    f"{way.capitalize()} attention does {{}} {kind} {words}.",
                    count,
                    "operations",
                )
            )
        identifier, what = f"values.{way}.{at}", f"{way} attention {words}"
        claims += ERRORS.checked(identifier, what, result)
        claims += ERRORS.faults_seen(identifier, what, result["smallest_fault_seen"])
    for kind in size["fused"]["operations"]:
        more = size["fused"]["operations"][kind] - size["unfused"]["operations"][kind]
        name, comparison = ("extra", "more") if more >= 0 else ("fewer", "fewer")
        claims.append(
            SWEEP.claim(
                f"operations.{name}.{kind}.{at}",
                f"Fused attention does {{}} {comparison} {kind} than unfused {words}.",
                abs(more),
                "operations",
            )
        )
    return claims


def table_claims(sizes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The size of one head's score table for each n."""
    claims = []
    for n, size in sorted({size["n"]: size for size in sizes}.items()):
        mib = decimals(Fraction(size["table_bytes"], MIB))
        claims.append(
            SWEEP.claim(
                f"traffic.table.n{n}",
                f"One head's score table for {n:,} words takes {{}} bytes.",
                size["table_bytes"],
                "bytes",
            )
        )
        claims.append(
            SWEEP.claim(
                f"traffic.table.mib.n{n}",
                f"One head's score table for {n:,} words takes"
                f" {about(mib, Fraction(size['table_bytes'], MIB))}{{}} MiB.",
                mib,
                "MiB",
            )
        )
    return claims


def claims(sizes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All claims that follow from the sweep."""
    found = [
        *setting_claims(sizes),
        *kernel_claims(sizes),
        *tile_claims(sizes),
        *table_claims(sizes),
    ]
    for size in sizes:
        found += size_claims(size)
    return found
