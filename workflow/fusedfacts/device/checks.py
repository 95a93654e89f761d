"""What a device must hold: a ragged grid, kinds of input, the sweep's sizes, the model's tensors.

`agreement` says what is compared of each answer; the broken control must be caught.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fusedfacts.attention.compare import compare
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import HEAD_DIMS, SOFTMAX_LANES, Problem, Rows, Scores
from fusedfacts.attention.reference import softmax
from fusedfacts.attention.tiled import tiled
from fusedfacts.device import agreement, measure
from fusedfacts.device.agreement import MeasuredDevice, check_methods, require_same_bits
from fusedfacts.device.launch import dispatch_kernel
from fusedfacts.device.memory import allocated, poisoned, words_of
from fusedfacts.device.pipelines import Variant
from fusedfacts.emulator.execute import softmax_rows
from fusedfacts.emulator.methods import METHODS, ONLINE, Method
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import manifest as kernels
from fusedfacts.numerics import rng

# Below, at and above every tile height and width of every kernel, and some odd ones.
RAGGED_LENGTHS = (
    *(1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65),
    *(100, 127, 128, 129, 255, 256, 257, 333, 511, 512, 513),
)
# Several query and key tiles, none of them full at the end.
KINDS_SIZE = (130, 32)
TOWERING = 100.0  # a score; e to it is no float32 number
LOUD = 8.0  # times a unit normal: scores of hundreds, whose exp overflows unless the maximum goes
KINDS: dict[str, Callable[[int, int], Rows]] = {
    "all scores equal": lambda n, d: np.zeros((n, d), dtype=np.float32),
    "exact dot products": lambda n, d: rng.dyadic(measure.SEED, 0, (n, d)),
    "scores of hundreds": lambda n, d: rng.normal(measure.SEED, 0, (n, d)) * np.float32(LOUD),
    "scores of minus zero": lambda n, d: -np.zeros((n, d), dtype=np.float32),
}


def ragged_cases(d: int) -> list[Problem]:
    """List the problems of the ragged grid at one head dimension."""
    return [Problem(n, d, causal) for causal in (False, True) for n in RAGGED_LENGTHS]


def largest_ratio(found: dict[str, dict[str, Any]]) -> float:
    """Find the largest error over bound of all methods."""
    return max(float(shown["largest_ratio"]) for shown in found.values())


def ragged(measured: MeasuredDevice, cases: Sequence[Problem]) -> dict[str, Any]:
    """Compare every method on every case."""
    worst = 0.0
    for case in cases:
        q, k, v = (rng.normal(measure.SEED, stream, (case.n, case.d)) for stream in range(3))
        worst = max(worst, largest_ratio(check_methods(measured, case, q, k, v)))
    return {
        "launches": len(METHODS) * len(cases),
        "elements": len(METHODS) * sum(case.n * case.d for case in cases),
        "largest_ratio": worst,
    }


def kind(measured: MeasuredDevice, name: str) -> dict[str, Any]:
    """Compare every method on one kind of input; a third of the values is minus zero."""
    n, d = KINDS_SIZE
    q, k = KINDS[name](n, d), KINDS[name](n, d)[::-1].copy()
    v = rng.normal(measure.SEED, 2, (n, d))
    v[::3] = -0.0
    cases = Problem(n, d), Problem(n, d, causal=True)
    worst = max(largest_ratio(check_methods(measured, case, q, k, v)) for case in cases)
    return {"kind": name, "largest_ratio": worst}


def longest_rows(n: int) -> Scores:
    """Draw a plain row of scores, then one for each register, with the largest score there.

    It stands so far above the rest that a maximum that misses it makes exp overflow.
    """
    lanes = SOFTMAX_LANES
    columns = [min(first + lanes - 1 - first // lanes, n - 1) for first in range(0, n, lanes)]
    scores = rng.normal(measure.SEED, 3, (1 + len(columns), n))
    for row, column in enumerate(columns, 1):
        scores[row, column] = TOWERING
    return scores


def longest_row(measured: MeasuredDevice) -> int:
    """Compare the shares of rows of the longest table, which alone reach softmax's last registers.

    With the emulator's in every bit, and with the exact ones; their length is returned.
    """
    device = measured.device
    manifest = kernels.manifest(device.folder)
    n = int(manifest["kernels"]["softmax"]["n_most"])
    scores = longest_rows(n)
    rows = len(scores)
    table = np.zeros(n * n, dtype=np.uint32)
    table[: rows * n] = words_of(scores)
    counters = np.zeros(rows * manifest["counter_slots"], dtype=np.uint32)
    content = {"s": table, "p": poisoned(n * n), "counts": counters}
    with allocated(device.handle, content) as buffers:
        dispatch_kernel(device, "softmax", Variant(HEAD_DIMS[0]), n, buffers, 0, rows)
        shares = buffers["p"].floats()[: rows * n].reshape(rows, n)
    exact = softmax(scores.astype(np.float64))
    # A lost column moves a total by one part in n; an error of exp stays far below that, and
    # what lies below the normal range may be 0.
    if not np.allclose(shares, exact, rtol=0.1 / n, atol=measure.LEAST_NORMAL):
        raise ClaimError(f"softmax on the device: rows of {n} scores have wrong shares; mend it")
    if measured.bits:
        expected = softmax_rows(scores, exponential=measured.exp)
        require_same_bits(shares, expected, f"softmax on the device, rows of {n}, and emulator")
    return n


def published_size(measured: MeasuredDevice, n: int, d: int, seed: int) -> list[dict[str, Any]]:
    """Compare every method at one size of the sweep, on the sweep's own inputs."""
    q, k, v = (rng.normal(seed, stream, (n, d)) for stream in range(3))
    found = check_methods(measured, Problem(n, d), q, k, v)
    return [{"n": n, "d": d, "way": way, **shown} for way, shown in found.items()]


def broken_control(
    measured: MeasuredDevice, method: Method, q: Rows, k: Rows, v: Rows, key_rows: int
) -> dict[str, int | bool]:
    """Leave the rescale of an online method's total out, causal; raise a ClaimError if it passes.

    But where every maximum lies in the first key tile it changes nothing, and cannot show.
    """
    problem = Problem.of(q, causal=True)
    rows = min(key_rows, method.tile_rows(problem.d) or key_rows)
    narrow = Method(method.name, rows)
    broken = agreement.run(measured, narrow, problem, q, k, v, rescale=False).output
    if measured.bits:
        emulated = narrow.emulate(problem, q, k, v, rescale=False, exponential=measured.exp)
        what = f"the control of {method.name} on the device and the emulator's"
        require_same_bits(broken, emulated.output, what)
    order = [narrow.order(problem.d)]
    bounded = attention_bounds(q, k, v, order, causal=True, arithmetic=measured.arithmetic)
    seen = compare(broken, bounded.exact, bounded.bounds[0])
    right = tiled(q, k, v, key_rows=rows, causal=True)
    cannot_show = bool(right.maximum_in_first_tile.all())
    if seen.passed and not cannot_show:
        raise ClaimError(
            f"the probe on the device: the check did not catch the broken rescale of {method.name},"
            " expected wrong answers on every head whose maxima rise; choose smaller"
            " control_key_rows in config.yaml, or mend the kernel's RESCALE"
        )
    return {
        "key_rows": rows,
        "rows_wrong": int(seen.wrong_rows.sum()),
        "rows": problem.n,
        "cannot_show": cannot_show,
    }


def model_head(
    measured: MeasuredDevice, q: Rows, k: Rows, v: Rows, key_rows: int, head: int
) -> dict[str, Any]:
    """Compare every method on one head of the probe, causal, and break the online ones."""
    found = check_methods(measured, Problem.of(q, causal=True), q, k, v)
    controls = {name: broken_control(measured, METHODS[name], q, k, v, key_rows) for name in ONLINE}
    for shown in found.values():
        del shown["elements"]
    return {"head": head, "ways": found, "controls": controls}
