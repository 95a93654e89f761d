"""How the sweep is cut into jobs, and what a job may cost: functions of n and d alone.

Snakemake hands these figures to whatever runs the jobs, so they are upper estimates for a slow
machine, not measurements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

# One job takes the sizes of one d while their n^2 d stays below that of (4096, 128); a larger
# size is a job of its own. Fewer jobs save start-up, more of them spread a larger sweep.
PART_PAIRS_TIMES_D = 4096 * 4096 * 128
# Two interpreters, that of the job and that of Snakemake, which a cluster starts again beside it;
# NumPy, the compiler. The small jobs take no more than this.
BASE_MB = 600
BYTES_PER_ROW = 2_000 * 4  # tables of one query tile and one block of the reference, for each n
WORK_PER_MINUTE = (
    2e9  # n^2 d, both methods with reference and bound; ten times slower than measured
)


def work(n: int, d: int) -> int:
    """n^2 d, to which the sweep's time is proportional."""
    return n * n * d


def sweep_parts(n_values: Sequence[int], head_dims: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The sweep's jobs: a name `d{d}-n{largest n}` for each, and its sizes.

    Examples
    --------
    >>> sweep_parts([64, 4096], [16])
    {'d16-n4096': (64, 4096)}
    >>> sweep_parts([64, 4096, 8192], [128])
    {'d128-n64': (64,), 'd128-n4096': (4096,), 'd128-n8192': (8192,)}
    """
    parts: dict[str, tuple[int, ...]] = {}
    for d in sorted(head_dims):
        part: list[int] = []
        for n in sorted(n_values):
            if part and sum(work(m, d) for m in [*part, n]) > PART_PAIRS_TIMES_D:
                parts[f"d{d}-n{part[-1]}"] = tuple(part)
                part = []
            part.append(n)
        parts[f"d{d}-n{part[-1]}"] = tuple(part)
    return parts


def memory_mb(n: int, d: int) -> int:
    """Megabytes that a job may need whose largest size is (n, d).

    >>> memory_mb(4096, 64) <= 700
    True
    """
    tensors = 12 * 8 * n * d
    return BASE_MB + math.ceil((n * BYTES_PER_ROW + tensors) / 1e6)


def minutes(sizes: Sequence[int], d: int) -> int:
    """Minutes that a job may run.

    >>> minutes([64, 4096], 64)
    2
    """
    return 1 + math.ceil(sum(work(n, d) for n in sizes) / WORK_PER_MINUTE)
