"""Derive again what can be derived in a device report: it must agree with itself.

The schema says what shape a report has. It cannot say that a verdict follows from the figures
beside it, that nothing was left out, or that counts are those of the closed formula.

The lesson's page makes reports, too: of the one size that its visitor chose, without a self-test.
What it does say keeps the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fusedfacts.attention import traffic
from fusedfacts.attention.problem import HEAD_DIMS, Problem
from fusedfacts.device import checks, selftest, timing
from fusedfacts.device.adapters import DEFAULT_LIMITS
from fusedfacts.device.run import served
from fusedfacts.emulator.methods import METHODS
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import manifest as kernels

PAGE = "page"  # what ran the kernels: the lesson's page, in a browser
HINT = "make the report again with `snakemake --cores 1 device`"
HINT_PAGE = "copy the report again from the lesson's page"
# A ratio of figures shown to four digits is itself this close to that of the figures unrounded.
SHOWN_APART = 2e-3
# What is looked at, what was found there, what follows.
Followed = Iterator[tuple[str, Any, Any]]


def check(document: dict[str, Any], name: str) -> None:
    """Raise a ClaimError that names the first thing that does not follow in a report."""
    page = document["runner"]["name"] == PAGE
    own = _page(document) if page else _whole(document)
    for what, found, expected in [*own, *_sizes(document), *_timings(document)]:
        if found != expected:
            hint = HINT_PAGE if page else HINT
            raise ClaimError(f"{name}: {what} found {found}, expected {expected}; {hint}")


def _whole(document: dict[str, Any]) -> Followed:
    """Follow what only a report with all checks says."""
    yield from _self_test(document)
    yield from _checks(document)
    timed = document["timings"]
    if timed is not None:
        stamps = document["self_test"]["timer"]["timestamps"]
        yield "timings.clock", timed["clock"], timing.TIMESTAMPS if stamps else timing.WALL_CLOCK


def _page(document: dict[str, Any]) -> Followed:
    """Follow what only a report of the page says."""
    timed = document["timings"]
    found = document["checks"]
    yield "limits", document["limits"], kernels.manifest()["limits"]
    seen = sorted({(size["n"], size["d"], size["causal"]) for size in found["sizes"]})
    yield "how many sizes were checked", len(seen), 1
    unchanged = None if timed is None else True
    yield "checks.counting_changes_no_bit", found["counting_changes_no_bit"], unchanged
    if timed is None:
        return
    also = [(size["n"], size["d"], size["causal"]) for size in timed["sizes"]]
    yield "the sizes timed", also, seen
    for size in timed["sizes"]:
        for way in served(size["n"]):
            yield from _page_times(size[way], timed["step_seconds"], f"{way} at n {size['n']}")


def _page_times(timed: dict[str, Any], step: float, name: str) -> Followed:
    speed = timed["bytes"] / timed["sum"]["median"]
    apart = abs(timed["effective_bytes_per_second"] / speed - 1)
    yield f"the speed of {name} follows from its time", apart <= SHOWN_APART, True
    for kernel, spread in timed["kernels"].items():
        lasted = spread["upper_quartile"] * spread["launches_averaged"] * (1 + SHOWN_APART)
        yield f"{kernel} of {name} lasts a step of its clock", lasted >= step, True


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
    launches = 2 * len(checks.RAGGED_LENGTHS) * len(METHODS)
    yield "checks.ragged", ragged, [(d, launches) for d in HEAD_DIMS]
    yield "checks.kinds", [part["kind"] for part in found["kinds"]], list(checks.KINDS)
    for figures in [figures for head in found["heads"] for figures in head["ways"].values()]:
        yield _within(figures)
    for control in [one for head in found["heads"] for one in head["controls"].values()]:
        within = control["rows_wrong"] <= control["rows"]
        yield "no more rows are wrong than there are", within, True


def _within(figures: dict[str, Any]) -> tuple[str, Any, Any]:
    within = figures["largest_error"] <= figures["bound_there"]
    return "the largest error is within its bound", within, True


def _sizes(document: dict[str, Any]) -> Followed:
    found = document["checks"]["sizes"]
    done = sorted((size["n"], size["d"], size["way"]) for size in found)
    whole = sorted((n, d, way) for n, d in {(n, d) for n, d, _ in done} for way in served(n))
    yield "checks.sizes", done, whole
    for size in found:
        n, d, way = size["n"], size["d"], size["way"]
        formula = METHODS[way].traffic(Problem(n, d, size.get("causal", False)))
        yield f"elements of {way} at n {n}, d {d}", size["elements"], formula
        yield _within(size)


def _timings(document: dict[str, Any]) -> Followed:
    timed = document["timings"]
    if timed is None:
        return
    warning = timing.does_not_prove(document["adapter"]["type"])
    yield "timings.does_not_prove", timed["does_not_prove"], warning
    checked = {(size["n"], size["d"]) for size in document["checks"]["sizes"]}
    unchecked = sorted({(size["n"], size["d"]) for size in timed["sizes"]} - checked)
    yield "sizes timed but not checked", unchecked, []
    for size in timed["sizes"]:
        n, d = size["n"], size["d"]
        yield f"ways timed at n {n}", [way for way in METHODS if size[way]], served(n)
        for way in served(n):
            formula = METHODS[way].traffic(Problem(n, d, size.get("causal", False)))
            moved = traffic.total_bytes(formula)
            yield f"bytes of {way} at n {n}, d {d}", size[way]["bytes"], moved
            timed_kernels = sorted(size[way]["kernels"])
            yield f"kernels timed of {way} at n {n}", timed_kernels, sorted(kernels.names(way))
            for spread in (size[way]["sum"], *size[way]["kernels"].values()):
                ordered = spread["lower_quartile"] <= spread["median"] <= spread["upper_quartile"]
                yield "quartiles lie around the median", ordered, True
    yield "timings.ratios", timed["ratios"], list(timing.ratios(timed["sizes"]))
