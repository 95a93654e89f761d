"""Every count of the document against the closed formula, which looks at nothing else."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fusedfacts.attention import problem, traffic
from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.numerics.rounding import decimals


def size(entry: dict[str, Any], tally: Tally) -> None:
    """One size of the sweep: elements, bytes, operations, tiles, ratio."""
    n, d = entry["n"], entry["d"]
    where = f"traffic, n {n}, d {d}"
    for way, moved in traffic.ELEMENTS.items():
        expected = moved(n, d, False)
        for kernel, buffers in expected.items():
            for buffer, accesses in buffers.items():
                found = entry[way]["elements"].get(kernel, {}).get(buffer)
                tally.equal(found, accesses, f"{where}: {way}.elements.{kernel}.{buffer}")
        tally.equal(entry[way]["elements"], expected, f"{where}: {way}.elements")
        tally.equal(entry[way]["bytes"], traffic.total_bytes(expected), f"{where}: {way}.bytes")
        for kind, count in traffic.ARITHMETIC[way](n, d, False).items():
            found = entry[way]["operations"].get(kind)
            tally.equal(found, count, f"{where}: {way}.operations.{kind}")
    ratio = Fraction(*(traffic.total_bytes(f(n, d)) for f in (traffic.unfused, traffic.fused)))
    for key, value in (
        ("query_rows", problem.query_rows(d)),
        ("key_rows", problem.fused_key_rows(d)),
        ("compulsory_bytes", traffic.compulsory_bytes(n, d)),
        ("table_bytes", traffic.table_bytes(n)),
        ("ratio", decimals(ratio)),
    ):
        tally.equal(entry[key], value, f"{where}: {key}")


def sizes(subject: Subject, tally: Tally) -> None:
    """Every size that the settings ask for is there, once, and counts what the formula says."""
    facts = subject.facts
    wanted = sorted(
        (d, n) for d in facts["settings"]["head_dims"] for n in facts["settings"]["n_values"]
    )
    tally.equal([(entry["d"], entry["n"]) for entry in facts["traffic"]], wanted, "traffic: (d, n)")
    for entry in facts["traffic"]:
        size(entry, tally)


def worked(subject: Subject, tally: Tally) -> None:
    """The case worked by hand."""
    case = subject.facts["worked"]
    n, d = case["n"], case["d"]
    fused = traffic.fused(n, d)
    for buffer, accesses in fused["fused"].items():
        moved = accesses["loads"] + accesses["stores"]
        tally.equal(case["elements"].get(buffer), moved, f"worked.elements.{buffer}")
    for key, value in (
        ("fused_bytes", traffic.total_bytes(fused)),
        ("unfused_bytes", traffic.total_bytes(traffic.unfused(n, d))),
        ("table_elements", n * n),
        ("query_rows", problem.query_rows(d)),
    ):
        tally.equal(case[key], value, f"worked.{key}")


def all_counts(subject: Subject, tally: Tally) -> None:
    """The sweep and the worked case."""
    sizes(subject, tally)
    worked(subject, tally)
