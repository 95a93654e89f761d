"""Count the bytes that attention of one size asks of global memory, by buffer.

The counts of one head follow from the formulas that docs/counts.md derives, for
any n at once; loads and stores stand apart. With --emulate the kernels are also
executed, in an emulator that counts every access, and must agree in every
buffer. workflow/schemas/count.schema.json describes what --json prints.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any

from fusedfacts import terminal
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.attention.traffic import Traffic
from fusedfacts.cli import options
from fusedfacts.errors import FactsError
from fusedfacts.numerics import rng, rounding, subnormals
from fusedfacts.terminal import Answer, columns

SCHEMA_VERSION = 1
N_MOST = 2**64  # more words than a machine can address; figures stay readable
EMULATED_MOST = 2**13  # some seconds; beyond, time grows with n^2
SEED = 1  # of the emulated inputs, which no count depends on


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add, whole = parser.add_argument, options.whole
    add("--n", type=whole, required=True, help="length of the sequence: words, or tokens")
    add("--d", type=whole, required=True, help="head dimension: 16, 32, 64 or 128")
    words = (
        "unfused is three kernels that write the table of scores to memory, fused is one that never"
        " does, kv_outer its work in the loop order of FlashAttention's Algorithm 1; all by default"
    )
    options.add_method(parser, None, words)
    options.add_causal(parser)
    emulate = f"execute the kernels as well, and compare; n up to {EMULATED_MOST:,}"
    add("--emulate", action="store_true", help=emulate)


def run(given: argparse.Namespace) -> Answer:
    """Count."""
    n, d, causal = given.n, given.d, given.causal
    if n > N_MOST:
        raise FactsError(f"n: found {n}, expected at most {N_MOST}; choose a smaller one")
    if given.emulate and n > EMULATED_MOST:
        raise FactsError(
            f"n: found {n}, expected at most {EMULATED_MOST} to emulate it; leave out --emulate,"
            " for the formula is exact at every length"
        )
    if given.emulate:
        subnormals.require_kept()
    chosen = [given.method] if given.method else list(traffic.ELEMENTS)
    kernels = {name: _counted(name, n, d, causal, given.emulate) for name in chosen}
    document = {
        "schema_version": SCHEMA_VERSION,
        "n": n,
        "d": d,
        "causal": causal,
        "compulsory_bytes": traffic.compulsory_bytes(n, d),
        "kernels": kernels,
    }
    holds = not any(found["emulation_differs"] for found in kernels.values())
    return Answer(document, _lines(document), holds)


def _counted(name: str, n: int, d: int, causal: bool, emulate: bool) -> dict[str, Any]:
    """Evaluate the formulas of one method, and execute its kernels if asked to."""
    moved = traffic.ELEMENTS[name](n, d, causal)
    return {
        "bytes": traffic.total_bytes(moved),
        "traffic": {
            kernel: {
                buffer: {
                    access: {"elements": elements, "bytes": traffic.BYTES_PER_FLOAT * elements}
                    for access, elements in accesses.items()
                }
                for buffer, accesses in buffers.items()
            }
            for kernel, buffers in moved.items()
        },
        "arithmetic": traffic.ARITHMETIC[name](n, d, causal),
        "emulation_differs": _differences(name, n, d, causal) if emulate else None,
    }


def _differences(name: str, n: int, d: int, causal: bool) -> list[str]:
    """Compare the executed kernels with the formulas, a line for each difference."""
    from fusedfacts.emulator.methods import METHODS  # the compiler, which only this needs

    q, k, v = (rng.normal(SEED, stream, (n, d)) for stream in range(3))
    executed = METHODS[name].emulate(Problem(n, d, causal), q, k, v)
    emulated = _flat(executed.traffic(), executed.arithmetic())
    formula = _flat(traffic.ELEMENTS[name](n, d, causal), traffic.ARITHMETIC[name](n, d, causal))
    return [
        f"{what}: emulated {emulated.get(what)}, formula {formula.get(what)}"
        for what in sorted({*emulated, *formula})
        if emulated.get(what) != formula.get(what)
    ]


def _flat(moved: Traffic, operations: dict[str, int]) -> dict[str, Any]:
    """Put accesses by kernel and buffer, and operations by kind, into one table."""
    accesses = {
        f"{kernel} {buffer}": elements
        for kernel, buffers in moved.items()
        for buffer, elements in buffers.items()
    }
    return {**accesses, **operations}


def _lines(document: dict[str, Any]) -> list[str]:
    """Write the document for people."""
    causal = "causal: a query looks at keys up to its own"
    full = "full: every query looks at every key"
    compulsory = document["compulsory_bytes"]
    size = f"n {document['n']:,}, d {document['d']}"
    lines = [
        *terminal.wrapped(f"{size}, {causal if document['causal'] else full}"),
        *terminal.wrapped(f"compulsory bytes {compulsory:,}: each of q, k, v and o once"),
    ]
    for name, found in document["kernels"].items():
        times = rounding.decimals(Fraction(found["bytes"], compulsory))
        lines += [
            "",
            *terminal.wrapped(f"{name}: {found['bytes']:,} bytes, {times:,} times the compulsory"),
            *_moved(found),
            *columns([(f"{count:,}", kind) for kind, count in found["arithmetic"].items()], [0]),
        ]
        differs = found["emulation_differs"]
        if differs is not None:
            agreed = "emulated: equal in every buffer and every kind of operation"
            lines += [f"emulated: {line}" for line in differs] or [agreed]
    return lines


def _moved(found: dict[str, Any]) -> list[str]:
    """Write what each buffer moves, without the elements where both would be too wide."""
    moved = [
        (kernel, buffer, access, f"{count['elements']:,}", f"{count['bytes']:,}")
        for kernel, buffers in found["traffic"].items()
        for buffer, accesses in buffers.items()
        for access, count in accesses.items()
        if count["elements"]
    ]
    rows = [("kernel", "buffer", "", "elements", "bytes"), *moved]
    table = columns(rows, numbers=[3, 4])
    if max(map(len, table)) <= terminal.WIDTH:
        return table
    return [
        *columns([(*row[:3], row[4]) for row in rows], numbers=[3]),
        f"an element is {terminal.counted(traffic.BYTES_PER_FLOAT, 'byte')}",
    ]
