"""What a cache would serve of the accesses of a trace: stack distances, for all sizes at once.

The cache is fully associative and replaces the line that was used least recently (LRU), so that
one of a larger size always holds what a smaller one does. A line since whose last use d lines were
used, itself counted, is found by every cache of at least d lines: one pass gives the whole curve
(Mattson and others 1970). A store makes room for its line, and fetches it only where it writes a
part of it; a line that was written goes back to memory when it leaves the cache, or at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.emulator.memory import BUFFERS, STORES
from fusedfacts.emulator.trace import Trace
from fusedfacts.numerics.jit import compiled

Whole = NDArray[np.int64]
FLOAT = 4  # bytes
NEVER = -1  # when a line that was not used yet was used, and written


class Curve(NamedTuple):
    """How many lines move between a cache and memory, by the lines that the cache has room for.

    Attributes
    ----------
    fetched, written : ndarray of int64, shape (lines + 1,)
    """

    fetched: Whole
    written: Whole

    def moved(self, room: int) -> int:
        """Count the lines that a cache of `room` lines fetches and writes back."""
        at = min(room, len(self.fetched) - 1)
        return int(self.fetched[at] + self.written[at])


def curve(traces: list[Trace], sizes: dict[str, int], line: int, together: int) -> Curve:
    """Compute the curve of kernels that run one after another.

    Parameters
    ----------
    traces : list of Trace
    sizes : dict of str to int
        Elements of each buffer, which begins at the start of a line.
    line : int
        Bytes of a line.
    together : int
        Workgroups that run at a time, each in turn making one access; the next in launch order
        takes the place of one that ends.
    """
    base, lines = np.zeros(len(BUFFERS), np.int64), 0
    for i, name in enumerate(BUFFERS):
        base[i] = lines * line
        lines += -(-FLOAT * sizes.get(name, 0) // line)
    accesses = np.concatenate([trace.accesses[turns(trace.starts, together)] for trace in traces])
    first = base[accesses[:, 0]] + FLOAT * accesses[:, 2]
    last, stores = first + FLOAT * accesses[:, 3], accesses[:, 1] == STORES
    fetched, written = distances(first, last, stores, line, lines)
    return Curve(*(np.cumsum(found[::-1])[::-1] for found in (fetched, written)))


@compiled
def turns(starts: Whole, together: int) -> Whole:
    """Order the accesses of workgroups of which so many run at a time, in turn."""
    order = np.empty(starts[-1], np.int64)
    groups = starts.size - 1
    running = min(together, groups)
    at, end = starts[:running].copy(), starts[1 : running + 1].copy()
    launched, made = running, 0
    while made < order.size:
        for slot in range(running):
            while at[slot] == end[slot] and launched < groups:
                at[slot], end[slot] = starts[launched], starts[launched + 1]
                launched += 1
            if at[slot] < end[slot]:
                order[made] = at[slot]
                at[slot] += 1
                made += 1
    return order


@compiled
def mark(tree: Whole, at: int, by: int) -> None:
    """Add to one place of a Fenwick tree of counts."""
    at += 1
    while at < tree.size:
        tree[at] += by
        at += at & -at


@compiled
def distances(
    first: Whole, last: Whole, stores: NDArray[np.bool_], line: int, lines: int
) -> tuple[Whole, Whole]:
    """Count the fetches and the writes back that a cache needs if it is too small, by size.

    `fetched[d]` are those that no cache of less than d + 1 lines is spared, whether or not
    larger ones are; the last entries, at `lines`, are those that every cache needs.
    """
    fetched, written = np.zeros(lines + 1, np.int64), np.zeros(lines + 1, np.int64)
    used, farthest = np.full(lines, NEVER), np.full(lines, NEVER)
    held = np.zeros(lines, np.bool_)
    size = 2 * lines + 1
    tree, now, known = np.zeros(size + 1, np.int64), 0, 0
    for access in range(first.size):
        for where in range(first[access] // line, (last[access] + line - 1) // line):
            if now == size:  # renumber: the lines in the order of their last uses
                order = np.argsort(used)
                tree[:] = 0
                now = 0
                for i in order:
                    if used[i] != NEVER:
                        used[i] = now
                        mark(tree, now, 1)
                        now += 1
            distance = lines + 1
            if used[where] != NEVER:
                before, at = 0, used[where]
                while at > 0:
                    before += tree[at]
                    at -= at & -at
                distance = known - before
                mark(tree, used[where], -1)
            else:
                known += 1
            mark(tree, now, 1)
            used[where] = now
            now += 1
            if held[where]:
                farthest[where] = max(farthest[where], distance)
            if stores[access]:
                written[(farthest[where] if held[where] else lines + 1) - 1] += 1
                held[where], farthest[where] = True, 0
            start = where * line
            whole = first[access] <= start and start + line <= last[access]
            if not (stores[access] and whole):
                fetched[distance - 1] += 1
    return fetched, written
