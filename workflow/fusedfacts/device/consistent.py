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
from fusedfacts.emulator.methods import METHODS, ONLINE
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import manifest as kernels

PAGE = "page"  # what ran the kernels: the lesson's page, in a browser
HINT = "make the report again with `snakemake --cores 1 device`"
HINT_PAGE = "copy the report again from the lesson's page"
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
    tested, found = document["self_test"], document["checks"]
    reasons = tested["why_no_bit_check"]
    yield "limits", document["limits"], DEFAULT_LIMITS
    yield "why_no_bit_check", reasons, selftest.disqualified(tested)
    yield "checks.bits_equal", found["bits_equal"], None if reasons else True
    launches = 2 * len(checks.RAGGED_LENGTHS) * len(METHODS)
    ragged = [(part["d"], part["launches"]) for part in found["ragged"]]
    yield "checks.ragged", ragged, [(d, launches) for d in HEAD_DIMS]
    yield "checks.kinds", [part["kind"] for part in found["kinds"]], list(checks.KINDS)
    for head in found["heads"]:
        yield "checks.heads.ways", sorted(head["ways"]), sorted(METHODS)
        yield "checks.heads.controls", sorted(head["controls"]), sorted(ONLINE)
        for figures in head["ways"].values():
            yield _within(figures)


def _page(document: dict[str, Any]) -> Followed:
    """Follow what only a report of the page says."""
    timed, found = document["timings"], document["checks"]
    yield "limits", document["limits"], kernels.manifest()["limits"]
    unchanged = None if timed is None else True
    yield "checks.counting_changes_no_bit", found["counting_changes_no_bit"], unchanged


def _within(figures: dict[str, Any]) -> tuple[str, Any, Any]:
    within = figures["largest_error"] <= figures["bound_there"]
    return "the largest error is within its bound", within, True


def _sizes(document: dict[str, Any]) -> Followed:
    listed = {kernels.MANIFEST, *(one["file"] for one in kernels.manifest()["kernels"].values())}
    yield "kernels without a hash", listed - document["kernels"].keys(), set()
    found = document["checks"]["sizes"]
    done = [(_problem(size), size["way"]) for size in found]
    whole = {(problem, way) for problem, _ in done for way in served(problem.n)}
    yield "checks.sizes", sorted(map(str, done)), sorted(map(str, whole))
    for size, (problem, way) in zip(found, done, strict=True):
        moved = METHODS[way].traffic(problem)
        yield f"elements of {way} at n {problem.n}, d {problem.d}", size["elements"], moved
        yield _within(size)


def _problem(size: dict[str, Any]) -> Problem:
    return Problem(size["n"], size["d"], size.get("causal", False))


def _timings(document: dict[str, Any]) -> Followed:
    timed = document["timings"]
    if timed is None:
        return
    warning = timing.does_not_prove(document["adapter"]["type"])
    yield "timings.does_not_prove", timed["does_not_prove"], warning
    checked = set(map(_problem, document["checks"]["sizes"]))
    yield "sizes timed but not checked", set(map(_problem, timed["sizes"])) - checked, set()
    for size in timed["sizes"]:
        problem = _problem(size)
        n, d = problem.n, problem.d
        ways = sorted(size.keys() - {"n", "d", "causal"})
        yield f"ways at n {n}", ways, sorted(METHODS)
        if ways != sorted(METHODS):
            return  # of which no more follows
        yield f"ways timed at n {n}", [way for way in METHODS if size[way]], served(n)
        for way in served(n):
            moved = traffic.total_bytes(METHODS[way].traffic(problem))
            yield f"bytes of {way} at n {n}, d {d}", size[way]["bytes"], moved
    yield "timings.ratios", timed["ratios"], list(timing.ratios(timed["sizes"]))
