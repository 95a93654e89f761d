"""Time the kernels on a device: observed, never asserted, never in what is published.

The kernels that are timed do not count; the checks have shown that counting leaves every bit of
the answer as it is. Each kernel is timed apart, by the device's own timestamps where it has any.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.device import run
from fusedfacts.device.launch import launch
from fusedfacts.device.measure import about
from fusedfacts.device.memory import Buffer
from fusedfacts.device.pipelines import Device, Variant
from fusedfacts.emulator.methods import METHODS, ONLINE
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest
from fusedfacts.numerics import rng

WARM_UPS = 2  # the first launch of a pipeline may include its compilation
REPEATS = 7  # odd, so that the median is a launch; few, for a slow device takes seconds for each
STEPS_LEAST = 20  # steps of the clock that a measurement lasts: one more or less is 5 %
LAUNCHES_MOST = 1_000  # of one measurement
WALL_CLOCK_STEP = 1e-6  # seconds; Python's own counter is finer on every system
TIMESTAMPS, WALL_CLOCK = "timestamps", "wall clock"


def seconds(
    device: Device, kernel: str, n: int, d: int, buffers: dict[str, Buffer], launches: int = 1
) -> float:
    """Time one launch of a kernel, in seconds, as the mean of `launches` of them."""
    total = 0.0
    for _ in range(launches):
        start = time.perf_counter()
        _, ticks = launch(device, kernel, Variant(d, count=False), n, buffers)
        wall = time.perf_counter() - start
        total += sum(ticks) * device.tick_seconds() if ticks else wall
    return total / launches


def launches_needed(took: float, step: float) -> int:
    """Count the launches that together last many steps of the clock: some are 100 us long.

    >>> launches_needed(1.0, 1e-9), launches_needed(1e-5, 1e-4), launches_needed(0.0, 1e-4)
    (1, 200, 1000)
    """
    return min(LAUNCHES_MOST, math.ceil(STEPS_LEAST * step / took)) if took > 0 else LAUNCHES_MOST


def spread(times: list[float]) -> dict[str, float]:
    """Compute median and quartiles, in seconds.

    >>> spread([3.0, 1.0, 2.0])
    {'lower_quartile': 1.5, 'median': 2.0, 'upper_quartile': 2.5}
    """
    names = ("lower_quartile", "median", "upper_quartile")
    return dict(zip(names, map(about, np.quantile(times, (0.25, 0.5, 0.75))), strict=True))


def size(
    device: Device, n: int, d: int, seed: int, repeats: int = REPEATS, step: float = WALL_CLOCK_STEP
) -> dict[str, Any]:
    """Time all methods at one size, in turn so that a drift of the machine meets all of them.

    `step` is that of the clock, in seconds. A method that does not serve the size is None.
    """
    q, k, v = (rng.normal(seed, stream, (n, d)) for stream in range(3))
    served = run.served(n)
    order = [(way, kernel) for way in served for kernel in manifest.names(way)]
    launches = dict.fromkeys(order, 1)
    times: dict[tuple[str, str], list[float]] = {timed: [] for timed in order}
    with ExitStack() as stack:
        buffers = {w: stack.enter_context(run.buffers_of(w, q, k, v, device)) for w in served}
        for turn in range(WARM_UPS + repeats):
            for way, kernel in order:
                taken = seconds(device, kernel, n, d, buffers[way], launches[way, kernel])
                if turn < WARM_UPS:
                    launches[way, kernel] = launches_needed(taken, step)
                else:
                    times[way, kernel].append(taken)
    if min(map(min, times.values())) <= 0:
        raise FactsError(
            f"timer: a kernel at n {n}, d {d} took no time, expected more than a step of the"
            " clock; time larger sizes, set n_values in config.yaml"
        )
    found: dict[str, Any] = {"n": n, "d": d, **dict.fromkeys(METHODS)}
    for way in served:
        kernels = manifest.names(way)
        sums = [sum(turns) for turns in zip(*(times[way, name] for name in kernels), strict=True)]
        moved = traffic.total_bytes(METHODS[way].traffic(Problem(n, d)))
        found[way] = {
            "bytes": moved,
            "kernels": {
                name: {**spread(times[way, name]), "launches_averaged": launches[way, name]}
                for name in kernels
            },
            "sum": spread(sums),
            "effective_bytes_per_second": about(moved / statistics.median(sums)),
        }
    return found


def ratios(sizes: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Divide unfused by each online method, of medians of times and of bytes."""
    for timed in sizes:
        plain = timed["unfused"]
        for way in ONLINE:
            if plain and timed[way]:
                slow, fast = plain["sum"]["median"], timed[way]["sum"]["median"]
                size = {"n": timed["n"], "d": timed["d"], "way": way}
                moved = about(plain["bytes"] / timed[way]["bytes"])
                yield {**size, "time": about(slow / fast), "bytes": moved}


def does_not_prove(adapter_type: str) -> str:
    """Say what a reader must not conclude from the times."""
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
    progress: Callable[[str], None],
    repeats: int = REPEATS,
    step: float | None = None,
) -> dict[str, Any]:
    """Time all sizes, (n, d) each, the smallest first; `step` is the timestamps' own."""
    clock = step if device.has_timestamps and step else WALL_CLOCK_STEP
    timed = []
    for i, (n, d) in enumerate(sorted(sizes, key=lambda size: size[0] ** 2 * size[1]), 1):
        progress(f"timing {i} of {len(sizes)}: n {n}, d {d}")
        timed.append(size(device, n, d, seed, repeats, clock))
    timed.sort(key=lambda entry: (entry["d"], entry["n"]))
    return {
        "clock": TIMESTAMPS if device.has_timestamps else WALL_CLOCK,
        "warm_ups": WARM_UPS,
        "repeats": repeats,
        "sizes": timed,
        "ratios": list(ratios(timed)),
        "does_not_prove": does_not_prove(str(device.adapter.info["adapter_type"])),
    }
