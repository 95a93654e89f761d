"""FlashAttention's Figure 2, held to counting: its printed numbers beside explicit accountings.

docs/flashattention-figure-2.md reads it. What is printed is quoted and nothing here checks it; what
is counted is the closed form of the printed algorithms, equal to what their loops do.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fusedfacts.attention.compare import require_equal
from fusedfacts.claims.claim import Section
from fusedfacts.experiments.figure_two_claims import claims
from fusedfacts.numerics.rounding import decimals
from fusedfacts.schedules import backward_forms, flash, flash_backward, forward_forms
from fusedfacts.schedules.memory import Memory
from fusedfacts.schedules.shape import Shape, Tiles

# What the figure's caption says, and what the paper says of an A100: a multiprocessor's memory, and
# the least speed of the chip's.
SETTING = {"n": 1024, "d": 64, "heads": 16, "batch": 64}
CHIP = {"on_chip_kb": 192, "tb_a_second": 1.5}
# What it prints of standard attention and of FlashAttention, and what its first version did, whose
# caption adds "key-padding mask and no dropout".
PRINTED = {
    "standard_gflops": 66.6,
    "standard_gb": 40.3,
    "standard_ms": 41.7,
    "flash_gflops": 75.2,
    "flash_gb": 4.4,
    "flash_ms": 7.3,
    "earlier_standard_gb": 35.3,
    "earlier_standard_ms": 35.1,
    "earlier_flash_gb": 4.4,
    "earlier_flash_ms": 11.7,
}
SHAPE = Shape(
    SETTING["n"],
    SETTING["n"],
    SETTING["d"],
    heads=SETTING["heads"],
    kv_heads=SETTING["heads"],
    batch=SETTING["batch"],
)
GIGA = 10**9
NUMBER = 2  # bytes, of float16
STATISTIC = 4  # bytes, of float32
MIDDLE = (64, 128, 256, 512)  # key rows of a tile, along the middle panel
# Line 1 of the algorithms, floor(M / 4d), of that memory in float16.
LINE_ONE = int(CHIP["on_chip_kb"]) * 1024 // NUMBER // (4 * SETTING["d"])
PRODUCTS = {"standard": 2 + 4, "flash": 2 + 5}  # forward and backward; flash makes the scores anew
TABLES = ("s", "p", "dp", "ds")
# Crossings of a table that an eager implementation adds: the mask reads and writes the scores;
# dropout reads and writes the shares, and their gradients, and a mask of a byte for each, that is
# half a number, is written and read.
MASK, DROPOUT = 2, 2 + 2 + 1


@dataclass(frozen=True)
class Accounting:
    """What of an algorithm's accesses is counted, and how wide it is.

    Attributes
    ----------
    statistic : int
        Bytes of each l and m.
    initial : bool
        Whether the zeros that are stored to begin with count.
    first_pass : bool
        Whether loading them again in the first pass over the queries counts.
    o_each_pass : bool
        Whether the backward pass loads O in each pass, as printed, or once.
    """

    statistic: int
    initial: bool
    first_pass: bool
    o_each_pass: bool


ACCOUNTINGS = {
    "printed": Accounting(NUMBER, initial=True, first_pass=True, o_each_pass=True),
    "bare": Accounting(STATISTIC, initial=False, first_pass=True, o_each_pass=True),
    "least": Accounting(0, initial=False, first_pass=False, o_each_pass=False),
}
Moved = dict[str, dict[str, int]]


def counted(bc: int) -> dict[str, Moved]:
    """Count what Algorithms 1 and 4 move, by buffer, with such key tiles.

    Raises
    ------
    ClaimError
        If their loops, run without numbers for one head, do something else.
    """
    tiles = Tiles(SHAPE.d, bc)
    forms = {
        "forward": forward_forms.flash(SHAPE, tiles)["forward"],
        "backward": backward_forms.flash(SHAPE, tiles)["backward"],
    }
    inputs: dict[str, tuple[int, ...]] = dict.fromkeys(
        ("q", "k", "v", "o", "do"), (SHAPE.n_q, SHAPE.d)
    )
    inputs |= dict.fromkeys(("l", "m"), (SHAPE.n_q,))
    for name, run in (("forward", flash.forward), ("backward", flash_backward.backward)):
        memory = Memory(dry=True)
        for buffer, size in inputs.items():
            memory.place(buffer, size)
        run(SHAPE, tiles, memory)
        executed = memory.traffic(SHAPE.batch * SHAPE.kv_heads)[name]
        require_equal(executed, forms[name], f"figure_two: {name}, bc {bc}")
    return forms


def moved_bytes(moved: Moved, accounting: Accounting) -> int:
    """Add up the bytes of one pass, in such an accounting."""
    forward = "do" not in moved
    begun = ("o", "l", "m") if forward else ("dq", "dk", "dv")
    rows = SHAPE.batch * SHAPE.heads * SHAPE.n_q
    total = 0
    for name, access in moved.items():
        loads, stores = access["loads"], access["stores"]
        statistic = name in ("l", "m")
        whole = rows if statistic else rows * SHAPE.d
        if name in begun and not accounting.initial:
            stores -= whole
        if name in begun and loads and not accounting.first_pass:
            loads -= whole
        if name == "o" and not forward and not accounting.o_each_pass:
            loads = whole
        total += (accounting.statistic if statistic else NUMBER) * (loads + stores)
    return total


def gigabytes(moved: int | Fraction, places: int = 2) -> float:
    """Round bytes to gigabytes, of which the paper speaks."""
    return decimals(Fraction(moved) / GIGA, places)


def of_standard(operand: int, table: int) -> dict[str, Any]:
    """Read the printed bytes of standard attention as crossings of its tables.

    `operand` and `table` are the bytes of one operand, and of one table, in all heads.
    """
    tiles = Tiles(1, 1)
    moved = {"operands": 0, "crossings": 0}
    for forms in (forward_forms.standard(SHAPE, tiles), backward_forms.standard(SHAPE, tiles)):
        for buffers in forms.values():
            for name, access in buffers.items():
                kind = "crossings" if name in TABLES else "operands"
                moved[kind] += NUMBER * (access["loads"] + access["stores"])
    operands, crossings = moved["operands"] // operand, moved["crossings"] // table

    def with_crossings(number: int) -> float:
        return gigabytes(operands * operand + number * table)

    def crossings_of(printed: float) -> float:
        return decimals((Fraction(str(printed)) * GIGA - operands * operand) / table, 2)

    return {
        "operands": operands,
        "crossings": crossings,
        "gb": with_crossings(crossings),
        "crossings_printed": crossings_of(PRINTED["standard_gb"]),
        "crossings_earlier": crossings_of(PRINTED["earlier_standard_gb"]),
        "eager": {
            "crossings": crossings + MASK + DROPOUT,
            "gb": with_crossings(crossings + MASK + DROPOUT),
            "one_less_gb": with_crossings(crossings + MASK + DROPOUT - 1),
            "one_more_gb": with_crossings(crossings + MASK + DROPOUT + 1),
            "without_dropout_gb": with_crossings(crossings + MASK),
        },
    }


def of_products(product: int) -> dict[str, Any]:
    """Hold the printed operations to the matrix products', each of which takes so many."""
    found: dict[str, Any] = {
        "one": gigabytes(product),
        "ratio": decimals(Fraction(PRODUCTS["flash"], PRODUCTS["standard"]), 2),
        "ratio_printed": decimals(PRINTED["flash_gflops"] / PRINTED["standard_gflops"], 2),
    }
    for name, products in PRODUCTS.items():
        printed = Fraction(str(PRINTED[f"{name}_gflops"])) * GIGA
        times = decimals(products * product / printed, 2)
        found[name] = {
            "products": products,
            "gflops": gigabytes(products * product),
            "times": times,
        }
    return found


def compute() -> dict[str, Any]:
    """Compute what the figure's setting moves and multiplies, by each accounting."""
    operand = NUMBER * SHAPE.batch * SHAPE.heads * SHAPE.n_q * SHAPE.d
    table = operand * SHAPE.n_k // SHAPE.d
    flash_gb = {}
    for bc in sorted((*MIDDLE, LINE_ONE)):
        forward, backward = counted(bc).values()
        flash_gb[f"bc{bc}"] = {"rows": bc} | {
            name: {
                "forward": gigabytes(moved_bytes(forward, accounting)),
                "both": gigabytes(
                    moved_bytes(forward, accounting) + moved_bytes(backward, accounting)
                ),
            }
            for name, accounting in ACCOUNTINGS.items()
        }
    return {
        "setting": SETTING,
        "chip": CHIP,
        "printed": PRINTED,
        "operand_gb": gigabytes(operand, 4),
        "table_gb": gigabytes(table, 4),
        "line_one": LINE_ONE,
        "standard": of_standard(operand, table),
        "flash": flash_gb,
        "products": of_products(2 * SHAPE.d * table // NUMBER),
        "gb_a_second": {
            name: round(1000 * Fraction(str(PRINTED[f"{name}_gb"])) / Fraction(str(ms)))
            for name, ms in (("standard", PRINTED["standard_ms"]), ("flash", PRINTED["flash_ms"]))
        },
    }


SECTION = Section(compute, claims)
