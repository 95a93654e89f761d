"""Several calls of a function at once, in threads: BLAS and compiled loops let each other run."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# BLAS with threads of its own, called from several, is many times slower than either alone.
BLAS = "OPENBLAS_NUM_THREADS"
ALLOWED = "OMP_NUM_THREADS"  # a job of the pipeline has one thread
THREADS_MOST = 8  # each holds some tables


def threads() -> int:
    """Count the threads that may run at once: one, unless BLAS is told to start none."""
    if os.environ.get(BLAS) != "1":
        return 1
    allowed = os.environ.get(ALLOWED, "")
    cores = min(len(os.sched_getaffinity(0)), THREADS_MOST)
    return min(cores, max(1, int(allowed))) if allowed.isdecimal() else cores


def in_order(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Apply a function to items, a few at once and no more ahead; results come in order.

    >>> list(in_order(lambda number: number**2, range(5)))
    [0, 1, 4, 9, 16]
    """
    some = min(threads(), len(items))
    if some <= 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(some) as pool:
        try:
            for item in items:
                # NumPy's `errstate` is part of a context.
                waiting.append(pool.submit(copy_context().run, function, item))
                if len(waiting) > some:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
