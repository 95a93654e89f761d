"""What a device is asked to hold: a ragged grid, kinds of input, the sweep's sizes, the model.

Everywhere counts: kernel = emulator = closed formula, in every buffer. Bits: equal to the
emulator that is fed with the device's exp. A second launch, cut into dispatches, and one that
does not count give the same bits. Values: within the bound. The broken control is caught.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from fusedfacts.attention.compare import check
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import HEAD_DIMS, SOFTMAX_LANES
from fusedfacts.device import measure, selftest, ways
from fusedfacts.device.compare import Subject, compared, figures, judged, same_bits
from fusedfacts.device.launch import dispatch
from fusedfacts.device.memory import Buffer, poisoned, words_of
from fusedfacts.device.pipelines import Variant
from fusedfacts.device.run import Floats, attention, release
from fusedfacts.emulator.launch import softmax_rows
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
KINDS: dict[str, Callable[[int, int], Floats]] = {
    "all scores equal": lambda n, d: np.zeros((n, d), dtype=np.float32),
    "exact dot products": lambda n, d: rng.dyadic(measure.SEED, 0, (n, d)),
    "scores of hundreds": lambda n, d: rng.normal(measure.SEED, 0, (n, d)) * np.float32(LOUD),
    "scores of minus zero": lambda n, d: -np.zeros((n, d), dtype=np.float32),
}


def ragged_cases() -> Iterator[tuple[int, int, bool]]:
    """(n, d, causal) of the ragged grid."""
    for d in HEAD_DIMS:
        for causal in (False, True):
            for n in RAGGED_LENGTHS:
                yield n, d, causal


def all_ways(subject: Subject, q: Floats, k: Floats, v: Floats, causal: bool, what: str) -> float:
    """Every way compared and judged on one input; the largest error over bound is returned."""
    answers = {way: compared(subject, way, q, k, v, causal=causal)[0].output for way in ways.WAYS}
    seen = judged(subject, answers, q, k, v, causal)
    return float(max(figures(seen[way], f"{way}, {what}")["largest_ratio"] for way in seen))


def ragged(subject: Subject, cases: Iterable[tuple[int, int, bool]]) -> dict[str, Any]:
    """Every way on every case, values included."""
    launches = elements = 0
    worst = 0.0
    for n, d, causal in cases:
        q, k, v = (rng.normal(measure.SEED, stream, (n, d)) for stream in range(3))
        worst = max(worst, all_ways(subject, q, k, v, causal, f"n {n}, d {d}"))
        launches += len(ways.WAYS)
        elements += len(ways.WAYS) * n * d
    return {"launches": launches, "elements": elements, "largest_ratio": worst}


def kind(subject: Subject, name: str) -> dict[str, Any]:
    """Every way on one kind of input, full and causal; a third of the values is minus zero."""
    n, d = KINDS_SIZE
    q, k = KINDS[name](n, d), KINDS[name](n, d)[::-1].copy()
    v = rng.normal(measure.SEED, 2, (n, d))
    v[::3] = -0.0
    ratios = [all_ways(subject, q, k, v, causal, name) for causal in (False, True)]
    return {"kind": name, "largest_ratio": max(ratios)}


def longest_rows(n: int) -> Floats:
    """Rows of scores: a plain one, then one for each register, with the largest score there.

    It stands so far above the rest that a maximum that misses it makes exp overflow.
    """
    lanes = SOFTMAX_LANES
    columns = [min(first + lanes - 1 - first // lanes, n - 1) for first in range(0, n, lanes)]
    scores = rng.normal(measure.SEED, 3, (1 + len(columns), n))
    for row, column in enumerate(columns, 1):
        scores[row, column] = TOWERING
    return scores


def longest_row(subject: Subject) -> int:
    """The shares of rows of the longest table, which alone reach softmax's last registers.

    Returns
    -------
    int
        The rows' length.

    Raises
    ------
    ClaimError
        If they differ from the emulator's in a bit, or from the exact ones.
    """
    device, d = subject.device, HEAD_DIMS[0]
    entry = kernels.manifest(device.folder)["kernels"]["softmax"]
    n = int(entry["n_most"])
    scores = longest_rows(n)
    rows = len(scores)
    table = np.zeros(n * n, dtype=np.uint32)
    table[: rows * n] = words_of(scores)
    slots = kernels.manifest(device.folder)["counter_slots"]
    counters = np.zeros(rows * slots, dtype=np.uint32)
    content = {"s": table, "p": poisoned(n * n), "counts": counters}
    buffers = {name: Buffer(device.handle, name, words) for name, words in content.items()}
    try:
        header = np.array([n, 0], dtype=np.uint32)
        pipeline = device.pipeline("softmax", Variant(d))
        dispatch(device, pipeline, entry["bindings"], header, buffers, rows)
        shares = buffers["p"].floats()[: rows * n].reshape(rows, n)
    finally:
        release(buffers)
    wide = scores.astype(np.float64)
    weights = np.exp(wide - wide.max(axis=1, keepdims=True))
    exact = weights / weights.sum(axis=1, keepdims=True)
    # A lost column moves a total by one part in n; an error of exp stays far below that, and
    # what lies below the normal range may be 0.
    if not np.allclose(shares, exact, rtol=0.1 / n, atol=selftest.LEAST_NORMAL):
        raise ClaimError(f"softmax on the device: rows of {n} scores have wrong shares; mend it")
    if subject.bits:
        expected = softmax_rows(scores, exponential=subject.exp)
        same_bits(shares, expected, f"softmax on the device, rows of {n}, and emulator")
    return n


def published_size(subject: Subject, n: int, d: int, seed: int) -> list[dict[str, Any]]:
    """Every way at one size of the sweep, on the sweep's own inputs."""
    q, k, v = (rng.normal(seed, stream, (n, d)) for stream in range(3))
    answers = {way: compared(subject, way, q, k, v, causal=False)[0] for way in ways.served(n)}
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


def broken_control(
    subject: Subject, way: str, q: Floats, k: Floats, v: Floats, key_rows: int, name: str
) -> dict[str, int]:
    """A fused way with the rescale of its total left out, causal: it must be caught.

    Raises
    ------
    ClaimError
        If it passes.
    """
    rows = min(key_rows, ways.key_rows(way, q.shape[1]) or key_rows)
    options = {"causal": True, "rescale": False}
    broken = attention(subject.device, way, q, k, v, key_rows=rows, **options).output
    if subject.bits:
        emulated = ways.emulated(way, q, k, v, rows=rows, exponential=subject.exp, **options)
        same_bits(broken, emulated.output, f"{name}: the control of {way} and the emulator's")
    order = ways.order(way, q.shape[1], rows)
    bounded = attention_bounds(q, k, v, [order], causal=True, arithmetic=subject.arithmetic)
    seen = check(broken, bounded.exact, bounded.bounds[0])
    if seen.passed:
        raise ClaimError(
            f"{name}: the check did not catch the broken rescale of {way}, expected wrong answers"
            " on every head; choose smaller control_key_rows in config.yaml, or mend the kernel's"
            " RESCALE"
        )
    return {"key_rows": rows, "rows_wrong": int(seen.wrong_rows.sum()), "rows": int(q.shape[0])}


def model_head(
    subject: Subject, q: Floats, k: Floats, v: Floats, key_rows: int, head: int
) -> dict[str, Any]:
    """One head of the probe, causal: every way, and the broken control of the fused ones.

    Raises
    ------
    ClaimError
        If a right answer fails, or a control passes.
    """
    name = f"the probe's head {head} on the device"
    answers = {way: compared(subject, way, q, k, v, causal=True)[0].output for way in ways.WAYS}
    seen = judged(subject, answers, q, k, v, causal=True)
    return {
        "head": head,
        "ways": {way: figures(seen[way], f"{name}, {way}") for way in seen},
        "controls": {
            way: broken_control(subject, way, q, k, v, key_rows, name) for way in ways.FUSED_WAYS
        },
    }
