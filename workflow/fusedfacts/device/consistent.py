"""A device report must agree with itself: what can be derived in it is derived again.

The schema says what shape a report has. It cannot say that a verdict follows from the figures
beside it, that nothing was left out, or that counts are those of the closed formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fusedfacts import counts
from fusedfacts.device import checks, selftest, timing, ways
from fusedfacts.device.adapters import DEFAULT_LIMITS
from fusedfacts.errors import ClaimError
from fusedfacts.tiling import HEAD_DIMS

MEND = "make the report again with `snakemake --cores 1 device`"
# What is looked at, what was found there, what follows.
Followed = Iterator[tuple[str, Any, Any]]


def check(document: dict[str, Any], name: str) -> None:
    """Hold a report that fits its schema against itself.

    Raises
    ------
    ClaimError
        Naming the first thing that does not follow.
    """
    for what, found, expected in [*_self_test(document), *_checks(document), *_timings(document)]:
        if found != expected:
            raise ClaimError(f"{name}: {what} found {found}, expected {expected}; {MEND}")


def _self_test(document: dict[str, Any]) -> Followed:
    found = document["self_test"]
    contraction, exp, reasons = found["contraction"], found["exp"], found["why_no_bit_check"]
    worst = max(part["over_promised"] for part in exp["curve"])
    yield "limits", document["limits"], DEFAULT_LIMITS
    yield "contraction.contracts", contraction["contracts"], contraction["contracted"] > 0
    yield "exp.largest_over_promised", exp["largest_over_promised"], worst
    yield "exp.at_zero_is_one", exp["at_zero_is_one"], True
    yield "why_no_bit_check", reasons, selftest.disqualified(found)
    yield "checks.bits_equal", document["checks"]["bits_equal"], None if reasons else True


def _checks(document: dict[str, Any]) -> Followed:
    found = document["checks"]
    ragged = [(part["d"], part["launches"]) for part in found["ragged"]]
    launches = 2 * len(checks.RAGGED_LENGTHS) * len(ways.WAYS)
    yield "checks.ragged", ragged, [(d, launches) for d in HEAD_DIMS]
    yield "checks.kinds", [part["kind"] for part in found["kinds"]], list(checks.KINDS)
    done = sorted((size["n"], size["d"], size["way"]) for size in found["sizes"])
    whole = sorted((n, d, way) for n, d in {(n, d) for n, d, _ in done} for way in ways.served(n))
    yield "checks.sizes", done, whole
    for size in found["sizes"]:
        n, d, way = size["n"], size["d"], size["way"]
        formula = ways.formula(way, n, d, causal=False)
        yield f"elements of {way} at n {n}, d {d}", size["elements"], formula
    heads = [figures for head in found["heads"] for figures in head["ways"].values()]
    for figures in [*found["sizes"], *heads]:
        within = figures["largest_error"] <= figures["bound_there"]
        yield "the largest error is within its bound", within, True
    for control in [one for head in found["heads"] for one in head["controls"].values()]:
        within = control["rows_wrong"] <= control["rows"]
        yield "no more rows are wrong than there are", within, True


def _timings(document: dict[str, Any]) -> Followed:
    timed = document["timings"]
    if timed is None:
        return
    stamps = document["self_test"]["timer"]["timestamps"]
    yield "timings.clock", timed["clock"], timing.TIMESTAMPS if stamps else timing.WALL_CLOCK
    warning = timing.does_not_prove(document["adapter"]["type"])
    yield "timings.does_not_prove", timed["does_not_prove"], warning
    checked = {(size["n"], size["d"]) for size in document["checks"]["sizes"]}
    unchecked = sorted({(size["n"], size["d"]) for size in timed["sizes"]} - checked)
    yield "sizes timed but not checked", unchecked, []
    for size in timed["sizes"]:
        n, d = size["n"], size["d"]
        yield f"ways timed at n {n}", [way for way in ways.WAYS if size[way]], ways.served(n)
        for way in ways.served(n):
            moved = counts.total_bytes(ways.formula(way, n, d, causal=False))
            yield f"bytes of {way} at n {n}, d {d}", size[way]["bytes"], moved
    yield "timings.ratios", timed["ratios"], list(timing.ratios(timed["sizes"]))
