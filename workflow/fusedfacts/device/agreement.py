"""Compare a device's answer: with closed form and emulator, with itself, with the exact one.

Counts: kernel = emulator = closed form, in every buffer. Bits: equal to the emulator that is fed
with the device's exp. A second launch, cut into dispatches, and one that does not count give the
same bits. Values: within the bound of the device's own arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.compare import compare, figures, require_certified, require_equal
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem, Rows
from fusedfacts.attention.traffic import Traffic
from fusedfacts.device import measure, pipelines, selftest
from fusedfacts.device.operations import Operations
from fusedfacts.device.pipelines import Device
from fusedfacts.device.run import Answer, attention, served
from fusedfacts.emulator.methods import METHODS, Compute, Method
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import manifest
from fusedfacts.numerics.exponential import Exponential

CUT_INTO = 3  # dispatches of the repeated launch: a first, a middle and a last


@dataclass
class MeasuredDevice:
    """A device with what its self-test found.

    Attributes
    ----------
    arithmetic : Arithmetic
        As the bound takes it.
    exp : callable
        The device's exponential.
    bits : bool
        Whether its bits can be compared with the emulator's.
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

    def compute(self, method: Method, problem: Problem) -> Compute:
        """Compute by the real kernels, which count their own accesses."""

        def computed(q: Rows, k: Rows, v: Rows) -> tuple[Rows, Traffic]:
            answer = run(self, method, problem, q, k, v)
            return answer.output, answer.counts

        return computed


def opened(wanted: str, method: Method, problem: Problem) -> MeasuredDevice:
    """Open a device and test it, once the kernels are known to serve the size."""
    for kernel in manifest.names(method.name):
        manifest.check_length(kernel, problem.n)
        manifest.constants(kernel, problem.d, method.key_rows)
    device = pipelines.opened(wanted)
    return MeasuredDevice(device, selftest.run(device, ticks=[]))


def run(
    measured: MeasuredDevice,
    method: Method,
    problem: Problem,
    q: Rows,
    k: Rows,
    v: Rows,
    **options: Any,
) -> Answer:
    """Launch the kernels of a method on a problem; options are those of `run.attention`."""
    options |= {"causal": problem.causal, "scale": problem.scale, "key_rows": method.key_rows}
    return attention(measured.device, method.name, q, k, v, **options)


def require_same_bits(found: Rows, expected: Rows, what: str) -> None:
    """Raise a ClaimError that names the first bit to differ; never written is NaN in both."""
    unwritten = np.isnan(found) & np.isnan(expected)
    differs = (found.view(np.uint32) != expected.view(np.uint32)) & ~unwritten
    if differs.any():
        at = tuple(int(i) for i in np.argwhere(differs)[0])
        raise ClaimError(
            f"{what}: {int(differs.sum())} of {differs.size} elements differ, the first at {at}:"
            f" found {float(found[at])!r}, expected {float(expected[at])!r}; mend the kernel"
        )


def named(method: Method, problem: Problem) -> str:
    """Name a launch in a sentence."""
    mask = ", causal" if problem.causal else ""
    return f"{method.name} on the device, n {problem.n}, d {problem.d}{mask}"


def check_kernels(
    measured: MeasuredDevice, method: Method, problem: Problem, q: Rows, k: Rows, v: Rows
) -> Answer:
    """Compare counts, bits, repeats and counting of one method; return the device's answer."""
    name = named(method, problem)
    given = (measured, method, problem, q, k, v)
    answer = run(*given, keep_tables=True)
    emulated = method.emulate(problem, q, k, v, exponential=measured.exp, keep_tables=True)
    formula = method.traffic(problem)
    require_equal(answer.counts, formula, f"{name}: elements moved, kernel against formula")
    require_equal(answer.counts, emulated.traffic(), f"{name}: elements moved, kernel and emulator")
    if measured.bits:
        for table, found in answer.tables.items():
            what = f"{name}: table {table} and emulator"
            require_same_bits(found, emulated.tables[table], what)
        require_same_bits(answer.output, emulated.output, f"{name}: answer and emulator")
    again = run(*given, at_least=CUT_INTO)
    require_same_bits(again.output, answer.output, f"{name}: a second launch, cut, and the first")
    require_equal(again.counts, answer.counts, f"{name}: elements moved, a launch cut and whole")
    bare = run(*given, count=False)
    require_same_bits(bare.output, answer.output, f"{name}: without counting and with")
    return answer


def check_methods(
    measured: MeasuredDevice, problem: Problem, q: Rows, k: Rows, v: Rows
) -> dict[str, dict[str, Any]]:
    """Compare every method that serves a size, values included; show what passed by name.

    The bound is that of the device's own arithmetic.
    """
    methods = [METHODS[name] for name in served(problem.n)]
    answers = [check_kernels(measured, method, problem, q, k, v) for method in methods]
    orders = [method.order(problem.d) for method in methods]
    bounded = attention_bounds(
        q, k, v, orders, causal=problem.causal, arithmetic=measured.arithmetic
    )
    require_certified(bounded.certified, f"device, n {problem.n}, d {problem.d}")
    found = {}
    for method, answer, bound in zip(methods, answers, bounded.bounds, strict=True):
        compared = compare(answer.output, bounded.exact, bound)
        shown = figures(
            compared,
            named(method, problem),
            hint="mend the kernel",
            round_up=lambda value, _: measure.upwards(value),
        )
        found[method.name] = {"elements": answer.counts, **shown}
    return found
