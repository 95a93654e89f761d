"""Where an answer does not hold, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.judging.accuracy import Profile
from fusedfacts.terminal import agreeing

Marks = NDArray[np.bool_]
Counts = NDArray[np.int64]

PERIODS = (2, 4, 8, 16, 32, 64, 128)  # of lanes, vectors and tiles
GROWTH_ROWS = 8  # fewer say nothing of how an error grows
GROWN = 2.0  # times as large in the last quarter as in the first
FEW = 8  # rows or columns at an end that are counted from there


@dataclass(frozen=True)
class Noun:
    """What is counted, one and many."""

    one: str
    many: str


ROW, COLUMN, HEAD = Noun("row", "rows"), Noun("column", "columns"), Noun("head", "heads")


def described(bad: Marks, noun: Noun, numbers: Sequence[int] | None = None) -> str:
    """Say which of some rows, columns or heads are meant.

    >>> described(np.arange(128) >= 64, COLUMN), described(np.arange(70) >= 63, ROW)
    ('columns 64 to 127', 'only the last 7 rows')
    >>> described(np.arange(8) == 3, HEAD), described(np.arange(128) % 64 == 63, ROW)
    ('head 3 alone', 'the last row of each 64')
    """
    of = np.arange(len(bad)) if numbers is None else np.asarray(numbers)
    found = np.flatnonzero(bad)
    count, first, last = len(found), int(found[0]), int(found[-1])
    if count == len(bad):
        return f"every {noun.one}"
    if count == 1:
        return f"{noun.one} {of[first]} alone"
    if last - first + 1 == count:
        if count < FEW and last == len(bad) - 1:
            return f"only the last {count} {noun.many}"
        if count < FEW and first == 0:
            return f"only the first {count} {noun.many}"
        return f"{noun.many} {of[first]} to {of[last]}"
    for period in PERIODS:
        rest = np.unique(of[found] % period)
        if len(rest) == 1 and np.array_equal(bad, of % period == rest[0]):
            ends = {0: "first", period - 1: "last"}
            if rest[0] in ends:
                return f"the {ends[rest[0]]} {noun.one} of each {period}"
            return f"every {noun.one} whose number leaves {rest[0]} when divided by {period}"
    return f"{count:,} of {len(bad):,} {noun.many}, from {of[first]} to {of[last]}"


def _of_rows(profile: Profile, keys: Counts) -> str:
    """Say which rows, and whether these are all that see so many keys."""
    judged = ~np.isnan(profile.rows)
    bad, widths = profile.rows[judged] > 1, keys[judged]
    words = described(bad, ROW, np.flatnonzero(judged).tolist())
    if bad.all() or widths.min() == widths.max():
        return words
    most = int(widths[~bad].max())
    if widths[bad].min() > most:
        return f"{words}, which are all that see more than {most:,} {agreeing(most, 'key', 'keys')}"
    least = int(widths[~bad].min())
    if widths[bad].max() < least:
        return f"{words}, which are all that see fewer than {least:,} keys"
    return words


def _growth(profile: Profile, keys: Counts) -> str:
    """Say how the error of the rows that exceed their bound grows."""
    bad = np.flatnonzero((profile.rows > 1) & np.isfinite(profile.relative))
    if len(bad) < GROWTH_ROWS:
        return ""
    widths = keys[bad]
    by_keys = widths.min() < widths.max()
    order = bad[np.argsort(widths, kind="stable")] if by_keys else bad
    quarters = [float(np.median(part)) for part in np.array_split(profile.relative[order], 4)]
    first, *_, last = quarters
    what = "the number of keys seen" if by_keys else "the row number"
    size = "; relative to each row's largest value the error"
    if max(quarters) < GROWN * min(quarters):
        return f"{size} is about the same on all of them, {np.median(quarters):.2g}"
    if quarters == sorted(quarters) and last >= GROWN * first:
        return f"{size} grows with {what}, from about {first:.2g} to {last:.2g}"
    if quarters == sorted(quarters, reverse=True) and first >= GROWN * last:
        return f"{size} falls with {what}, from about {first:.2g} to {last:.2g}"
    spread = f"{min(quarters):.2g} to {max(quarters):.2g}"
    return f"{size} is {spread}, and follows neither rows nor keys"


def location(profile: Profile, keys: Counts, name: str) -> str:
    """Say in which rows and columns of an answer, or an lse, the bound is exceeded.

    `keys` are as many as each row sees.
    """
    if not (profile.rows > 1).any():
        return ""
    words = f"{name} exceeds its bound in {_of_rows(profile, keys)}"
    if len(profile.columns) > 1:
        words += f", in {described(profile.columns > 1, COLUMN)}"
    return words + _growth(profile, keys)
