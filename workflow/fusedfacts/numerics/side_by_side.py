"""Several calls of a function at once, in threads: BLAS and compiled loops let each other run."""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from importlib import import_module
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

ALLOWED = "OMP_NUM_THREADS"  # a job of the pipeline has one thread
THREADS_MOST = 8  # each holds some tables
# As NumPy's own wheels call OpenBLAS's functions, and as others do.
NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)


@cache
def _openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Find by what NumPy's OpenBLAS tells and takes its number of threads; None of other BLAS."""
    numpy = import_module("numpy._core._multiarray_umath")
    library = ctypes.CDLL(numpy.__file__)  # a name is sought in all libraries that it loads
    for name in NAMES:
        if hasattr(library, name.format("set")):
            return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None


def threads() -> int:
    """Count the threads that may run at once: one, unless BLAS can be told to start none."""
    if _openblas() is None:
        return 1
    allowed = os.environ.get(ALLOWED, "")
    cores = min(len(os.sched_getaffinity(0)), THREADS_MOST)
    return min(cores, max(1, int(allowed))) if allowed.isdecimal() else cores


class _Alone:
    """While anybody is within, BLAS starts no threads: both at once are many times slower."""

    def __init__(self) -> None:
        self._lock, self._inside, self._before = threading.Lock(), 0, 1

    @contextmanager
    def within(self) -> Iterator[None]:
        get, put = _openblas() or (lambda: 1, lambda number: None)
        with self._lock:
            if not self._inside:
                self._before = get()
                put(1)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    put(self._before)


_alone = _Alone()


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
    with _alone.within(), ThreadPoolExecutor(some) as pool:
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
