"""The kernels on a device against formula, emulator and bound: six checks, none of them soft.

Counts: kernel = emulator = closed formula, in every buffer. Bits: equal to the emulator that is
fed with the device's exp. Repeats: a second launch gives the same bits. Counting: the kernel that
counts and the one that does not give the same bits. Values: within the bound. Control: the
broken rescale is caught on every head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fusedfacts import seeded
from fusedfacts.bound import attention_bounds
from fusedfacts.check import check
from fusedfacts.device import measure, ways
from fusedfacts.device.compare import Subject, compared, figures, judged, same_bits
from fusedfacts.device.run import Floats, attention
from fusedfacts.errors import ClaimError
from fusedfacts.tiling import HEAD_DIMS

# Below, at and above every tile height and width of every kernel, and some odd ones.
RAGGED_LENGTHS = (
    *(1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65),
    *(100, 127, 128, 129, 255, 256, 257, 333, 511, 512, 513),
)


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
        q, k, v = (seeded.normal(measure.SEED, stream, (n, d)) for stream in range(3))
        answers = {
            way: compared(subject, way, q, k, v, causal=causal)[0].output for way in ways.WAYS
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
    answers = {way: compared(subject, way, q, k, v, causal=False)[0] for way in served}
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
    answers = {way: compared(subject, way, q, k, v, causal=True)[0].output for way in ways.WAYS}
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
