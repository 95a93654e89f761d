"""The kernels on a device against formula, emulator and bound: six checks, none of them soft.

Counts: kernel = emulator = closed formula, in every buffer. Bits: equal to the emulator that is
fed with the device's exp. Repeats: a second launch gives the same bits. Counting: the kernel that
counts and the one that does not give the same bits. Values: within the bound. Control: the
broken rescale is caught on every head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fusedfacts import seeded
from fusedfacts.bound import attention_bounds
from fusedfacts.check import Check, check
from fusedfacts.device import selftest, ways
from fusedfacts.device.launch import Device
from fusedfacts.device.operations import Operations
from fusedfacts.device.run import Answer, Floats, attention
from fusedfacts.emulator.run import Launch
from fusedfacts.errors import ClaimError
from fusedfacts.exponential import Exponential
from fusedfacts.order import Arithmetic
from fusedfacts.results import must_be_certified, must_equal
from fusedfacts.tiling import HEAD_DIMS

# Below, at and above every tile height and width of every kernel, and some odd ones.
RAGGED_LENGTHS = (
    *(1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65),
    *(100, 127, 128, 129, 255, 256, 257, 333, 511, 512, 513),
)


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


def compare(
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
    small = n <= ways.TABLES_KEPT
    answer = attention(subject.device, way, q, k, v, causal=causal, keep_tables=small)
    emulated = ways.emulated(way, q, k, v, causal=causal, exponential=subject.exp)
    formula = ways.formula(way, n, d, causal)
    must_equal(answer.counts, formula, f"{name}: elements moved, kernel against formula")
    must_equal(answer.counts, emulated.traffic(), f"{name}: elements moved, kernel and emulator")
    if subject.bits:
        for table in answer.tables:
            against = emulated.tables[table]
            same_bits(answer.tables[table], against, f"{name}: table {table} and emulator")
        same_bits(answer.output, emulated.output, f"{name}: answer and emulator")
    again = attention(subject.device, way, q, k, v, causal=causal)
    same_bits(again.output, answer.output, f"{name}: a second launch and the first")
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
        "largest_error": selftest.upwards(seen.largest_error),
        "bound_there": selftest.upwards(seen.bound_there),
        "largest_ratio": selftest.upwards(seen.largest_ratio),
        "within_bound": True,
    }


def ragged_cases() -> Iterator[tuple[int, int, bool]]:
    """(n, d, causal) of the ragged grid."""
    for d in HEAD_DIMS:
        for causal in (False, True):
            for n in RAGGED_LENGTHS:
                yield n, d, causal


def ragged(subject: Subject, cases: Iterable[tuple[int, int, bool]]) -> dict[str, Any]:
    """Every way on every case, values included."""
    launches = elements = 0
    worst = 0.0
    for n, d, causal in cases:
        q, k, v = (seeded.normal(selftest.SEED, stream, (n, d)) for stream in range(3))
        answers = {
            way: compare(subject, way, q, k, v, causal=causal)[0].output for way in ways.WAYS
        }
        for way, seen in judged(subject, answers, q, k, v, causal).items():
            worst = max(worst, figures(seen, f"{way}, n {n}, d {d}")["largest_ratio"])
        launches += len(answers)
        elements += len(answers) * n * d
    return {"launches": launches, "elements": elements, "largest_ratio": worst}


def published_size(subject: Subject, n: int, d: int, seed: int) -> list[dict[str, Any]]:
    """Every way at one size of the sweep, on the sweep's own inputs."""
    q, k, v = (seeded.normal(seed, stream, (n, d)) for stream in range(3))
    served = ways.served(n)
    answers = {way: compare(subject, way, q, k, v, causal=False)[0] for way in served}
    outputs = {way: answer.output for way, answer in answers.items()}
    seen = judged(subject, outputs, q, k, v, causal=False)
    return [
        {
            "n": n,
            "d": d,
            "way": way,
            "elements": answer.counts,
            **figures(seen[way], f"{way} on the device, n {n}, d {d}"),
        }
        for way, answer in answers.items()
    ]


def model_head(
    subject: Subject, q: Floats, k: Floats, v: Floats, key_rows: int, head: int
) -> dict[str, Any]:
    """One head of the probe, causal: every way, and the broken control.

    Raises
    ------
    ClaimError
        If a right answer fails, or the control passes.
    """
    name = f"the probe's head {head} on the device"
    answers = {way: compare(subject, way, q, k, v, causal=True)[0].output for way in ways.WAYS}
    right = {
        way: figures(seen, f"{name}, {way}")
        for way, seen in judged(subject, answers, q, k, v, causal=True).items()
    }
    options = {"causal": True, "rescale": False}
    broken = attention(subject.device, "fused", q, k, v, key_rows=key_rows, **options).output
    if subject.bits:
        emulated = ways.emulated(
            "fused", q, k, v, rows=key_rows, exponential=subject.exp, **options
        )
        same_bits(broken, emulated.output, f"{name}: the control and the emulator's")
    order = ways.order("fused", q.shape[1], key_rows)
    bounded = attention_bounds(q, k, v, [order], causal=True, arithmetic=subject.arithmetic)
    seen = check(broken, bounded.exact, bounded.bounds[0])
    if seen.passed:
        raise ClaimError(
            f"{name}: the check did not catch the broken rescale, expected wrong answers on every"
            " head; mend the kernel's RESCALE or the check"
        )
    control = {"rows_wrong": int(seen.wrong_rows.sum()), "rows": int(q.shape[0])}
    return {"head": head, "ways": right, "control": control}
