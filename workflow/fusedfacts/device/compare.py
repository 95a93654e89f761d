"""One answer of a device, compared: with formula and emulator, with itself, with the exact one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.compare import Check, check
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.results import must_be_certified, must_equal
from fusedfacts.device import measure, selftest, ways
from fusedfacts.device.operations import Operations
from fusedfacts.device.pipelines import Device
from fusedfacts.device.run import Answer, Floats, attention
from fusedfacts.emulator.launch import Launch
from fusedfacts.errors import ClaimError
from fusedfacts.numerics.exponential import Exponential

CUT_INTO = 3  # dispatches of the repeated launch: a first, a middle and a last


@dataclass
class Subject:
    """A device with what its self-test said.

    Attributes
    ----------
    device : Device
    self_test : dict
    arithmetic : Arithmetic
    exp : callable
        The device's exponential.
    bits : bool
        Whether its bits can be held against the emulator's.
    """

    device: Device
    self_test: dict[str, Any]
    arithmetic: Arithmetic = field(init=False)
    exp: Exponential = field(init=False)
    bits: bool = field(init=False)

    def __post_init__(self) -> None:
        self.arithmetic = selftest.arithmetic(self.self_test)
        self.exp = Operations(self.device).exponential()
        self.bits = not self.self_test["why_no_bit_check"]


def same_bits(found: Floats, expected: Floats, what: str) -> None:
    """Two arrays must agree in every bit; what was never written is NaN in both.

    Raises
    ------
    ClaimError
        Naming the first element that differs.
    """
    unwritten = np.isnan(found) & np.isnan(expected)
    differs = (found.view(np.uint32) != expected.view(np.uint32)) & ~unwritten
    if differs.any():
        at = tuple(int(i) for i in np.argwhere(differs)[0])
        raise ClaimError(
            f"{what}: {int(differs.sum())} of {differs.size} elements differ, the first at {at}:"
            f" found {float(found[at])!r}, expected {float(expected[at])!r}; mend the kernel"
        )


def compared(
    subject: Subject, way: str, q: Floats, k: Floats, v: Floats, *, causal: bool
) -> tuple[Answer, Launch]:
    """Counts, bits, repeats and counting of one way on one input.

    Returns
    -------
    Answer, Launch
        The device's and the emulator's.

    Raises
    ------
    ClaimError
        If a count differs between kernel, emulator and formula, or a bit between kernel and
        emulator, two launches, or counting and not counting.
    """
    n, d = q.shape
    name = f"{way} on the device, n {n}, d {d}{', causal' if causal else ''}"
    answer = attention(subject.device, way, q, k, v, causal=causal, keep_tables=True)
    emulated = ways.emulated(way, q, k, v, causal=causal, exponential=subject.exp)
    formula = ways.formula(way, n, d, causal)
    must_equal(answer.counts, formula, f"{name}: elements moved, kernel against formula")
    must_equal(answer.counts, emulated.traffic(), f"{name}: elements moved, kernel and emulator")
    if subject.bits:
        for table in answer.tables:
            against = emulated.tables[table]
            same_bits(answer.tables[table], against, f"{name}: table {table} and emulator")
        same_bits(answer.output, emulated.output, f"{name}: answer and emulator")
    again = attention(subject.device, way, q, k, v, causal=causal, at_least=CUT_INTO)
    same_bits(again.output, answer.output, f"{name}: a second launch, cut, and the first")
    must_equal(again.counts, answer.counts, f"{name}: elements moved, a launch cut and whole")
    bare = attention(subject.device, way, q, k, v, causal=causal, count=False)
    same_bits(bare.output, answer.output, f"{name}: without counting and with")
    return answer, emulated


def judged(
    subject: Subject, answers: dict[str, Floats], q: Floats, k: Floats, v: Floats, causal: bool
) -> dict[str, Check]:
    """Each way's answer against the exact one and the device's own bound."""
    d = q.shape[1]
    orders = [ways.order(way, d) for way in answers]
    bounded = attention_bounds(q, k, v, orders, causal=causal, arithmetic=subject.arithmetic)
    must_be_certified(bounded.certified, f"device, n {q.shape[0]}, d {d}")
    return {
        way: check(answer, bounded.exact, bound)
        for (way, answer), bound in zip(answers.items(), bounded.bounds, strict=True)
    }


def figures(seen: Check, what: str) -> dict[str, Any]:
    """A passed check's figures as a report shows them.

    Raises
    ------
    ClaimError
        If it did not pass.
    """
    if not seen.passed:
        raise ClaimError(
            f"{what}: {seen.wrong_elements} elements lie outside their bound (largest error"
            f" {seen.largest_error:.3g}, ratio {seen.largest_ratio:.3g}), expected none; mend the"
            " kernel"
        )
    return {
        "largest_error": measure.upwards(seen.largest_error),
        "bound_there": measure.upwards(seen.bound_there),
        "largest_ratio": measure.upwards(seen.largest_ratio),
        "within_bound": True,
    }
