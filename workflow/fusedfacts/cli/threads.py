"""One thread of linear algebra where the machine grants no more (`ulimit -u`, a container's limit).

OpenBLAS, which numpy loads, starts a thread for each processor. Where one cannot be started it
raises SIGINT, and the command would end as if somebody had pressed Ctrl-C. No bit of an answer
depends on how many there are.
"""

from __future__ import annotations

import os
import threading

VARIABLE = "OPENBLAS_NUM_THREADS"
ALL = "OMP_NUM_THREADS"  # what limits the command's own threads, too
THREADS_MOST = 64  # that OpenBLAS starts, however many processors there are


def can_start(number: int) -> bool:
    """Try whether so many threads can run at once."""
    gate = threading.Event()
    started = []
    try:
        for _ in range(number):
            thread = threading.Thread(target=gate.wait)
            thread.start()
            started.append(thread)
    except RuntimeError:  # can't start new thread
        return False
    finally:
        gate.set()
        for thread in started:
            thread.join()
    return True


def limit() -> None:
    """Ask OpenBLAS for one thread where it could not start its own; before numpy is imported."""
    wanted = min(len(os.sched_getaffinity(0)), THREADS_MOST)
    if VARIABLE not in os.environ and not can_start(wanted - 1):
        os.environ[VARIABLE] = os.environ[ALL] = "1"
