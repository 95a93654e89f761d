"""How long the kernels take on a device: observed, never asserted, never in what is published.

The kernels that are timed do not count; the checks have shown that counting leaves every bit of
the answer as it is. Each kernel is timed apart, by the device's own timestamps where it has any.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fusedfacts import counts, kernels, seeded
from fusedfacts.device import ways
from fusedfacts.device.launch import launch
from fusedfacts.device.measure import about
from fusedfacts.device.memory import Buffer
from fusedfacts.device.pipelines import Device, Variant
from fusedfacts.device.run import bind

WARM_UPS = 1  # the first launch of a pipeline includes its compilation
REPEATS = 7  # odd, so that the median is a launch; few, for a slow device takes seconds for each
TIMESTAMPS, WALL_CLOCK = "timestamps", "wall clock"

Progress = Callable[[str], None]


def seconds(device: Device, kernel: str, n: int, d: int, buffers: dict[str, Buffer]) -> float:
    """One launch of one kernel."""
    start = time.perf_counter()
    _, ticks = launch(device, kernel, Variant(d, count=False), n, buffers)
    wall = time.perf_counter() - start
    return wall if ticks is None else sum(ticks) * device.tick_seconds()


def spread(times: list[float]) -> dict[str, float]:
    """Median and quartiles, in seconds.

    >>> spread([3.0, 1.0, 2.0])
    {'lower_quartile': 1.5, 'median': 2.0, 'upper_quartile': 2.5}
    """
    if len(times) == 1:
        times = times * 2
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return {
        "lower_quartile": about(low),
        "median": about(middle),
        "upper_quartile": about(high),
    }


def size(device: Device, n: int, d: int, seed: int, repeats: int = REPEATS) -> dict[str, Any]:
    """All ways at one size, launched in turn so that a drift of the machine meets all of them.

    Returns
    -------
    dict
        For each way null, if it does not serve the size, or: bytes moved, median and quartiles of
        each kernel and of their sum, effective bytes a second.
    """
    q, k, v = (seeded.normal(seed, stream, (n, d)) for stream in range(3))
    served = ways.served(n)
    buffers = {way: bind(way, q, k, v, device) for way in served}
    times: dict[str, dict[str, list[float]]] = {
        way: {kernel: [] for kernel in kernels.names(way)} for way in served
    }
    for turn in range(WARM_UPS + repeats):
        for way in served:
            for kernel in kernels.names(way):
                taken = seconds(device, kernel, n, d, buffers[way])
                if turn >= WARM_UPS:
                    times[way][kernel].append(taken)
    for held in buffers.values():
        for buffer in held.values():
            buffer.release()
    found: dict[str, Any] = {"n": n, "d": d, **dict.fromkeys(ways.WAYS)}
    for way in served:
        sums = [sum(launches) for launches in zip(*times[way].values(), strict=True)]
        moved = counts.total_bytes(ways.formula(way, n, d, causal=False))
        found[way] = {
            "bytes": moved,
            "kernels": {kernel: spread(list(taken)) for kernel, taken in times[way].items()},
            "sum": spread(sums),
            "effective_bytes_per_second": about(moved / statistics.median(sums)),
        }
    return found


def ratios(sizes: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Unfused over fused, of medians of times and of bytes, where both were timed."""
    for timed in sizes:
        for way in ("fused", "fused_fast"):
            if timed[way] and timed[ways.UNFUSED]:
                plain = timed[ways.UNFUSED]
                yield {
                    "n": timed["n"],
                    "d": timed["d"],
                    "way": way,
                    "time": about(plain["sum"]["median"] / timed[way]["sum"]["median"]),
                    "bytes": about(plain["bytes"] / timed[way]["bytes"]),
                }


def does_not_prove(adapter_type: str) -> str:
    """What a reader must not conclude from the times."""
    if adapter_type == "CPU":
        return (
            "This device is software: its memory is the computer's own, so these times say nothing"
            " about a GPU, and no speed claim is made."
        )
    return (
        "These are times of one chip, one driver and one moment. They do not prove why one way is"
        " faster: caches, occupancy and arithmetic play a part beside the bytes counted."
    )


def results(
    device: Device,
    sizes: list[tuple[int, int]],
    seed: int,
    progress: Progress,
    repeats: int = REPEATS,
) -> dict[str, Any]:
    """All sizes, (n, d) each, the smallest first."""
    timed = []
    for i, (n, d) in enumerate(sorted(sizes, key=lambda size: size[0] ** 2 * size[1]), 1):
        progress(f"timing {i} of {len(sizes)}: n {n}, d {d}")
        timed.append(size(device, n, d, seed, repeats))
    timed.sort(key=lambda entry: (entry["d"], entry["n"]))
    return {
        "clock": TIMESTAMPS if device.has_timestamps else WALL_CLOCK,
        "warm_ups": WARM_UPS,
        "repeats": repeats,
        "sizes": timed,
        "ratios": list(ratios(timed)),
        "does_not_prove": does_not_prove(str(device.adapter.info["adapter_type"])),
    }
