"""Sums over tiles of the rows that each meets on the other side, in O(1) or O(log) whole numbers.

A query at position p sees keys from p - back to p + forth; a key is seen by queries in the same
way, with back and forth swapped, so one walk serves both loop orders. docs/schedules.md derives
the sums.
"""

from __future__ import annotations

from dataclasses import dataclass

from fusedfacts.attention.problem import ceil_div


def floor_sum(count: int, a: int, b: int, m: int) -> int:
    """Sum floor((a t + b) / m) over t from 0 to before `count`, for a of at least 0.

    Each turn swaps a and m, as Euclid's algorithm does: O(log) turns, one where m is 1.

    >>> floor_sum(5, 3, 1, 2), sum((3 * t + 1) // 2 for t in range(5))
    (16, 16)
    """
    total = 0
    while count > 0:
        total += count * (count - 1) // 2 * (a // m) + count * (b // m)
        a, b = a % m, b % m
        highest = a * count + b
        count, b, a, m = highest // m, highest % m, m, a
        if not m:
            break
    return total


def clipped_sum(
    count: int, a: int, b: int, m: int, moved: int, most: int, plus: int = 0, per: int = 1
) -> int:
    """Sum floor((clip(floor((a t + b) / m) + moved, 0, most) + plus) / per) over `count` tiles.

    The clipped term never falls: it is 0 up to some tile and `most` from some tile on.

    >>> clipped_sum(5, 4, 3, 1, moved=-5, most=9), sum((0, 2, 6, 9, 9))
    (26, 26)
    """

    def tiles_below(value: int) -> int:
        return min(count, max(0, ceil_div((value - moved) * m - b, a)))

    def unclipped(tiles: int) -> int:
        return floor_sum(tiles, a, b + (moved + plus) * m, m * per)

    rising, flat = tiles_below(0), tiles_below(most)
    ends = rising * (plus // per) + (count - flat) * ((most + plus) // per)
    return ends + unclipped(flat) - unclipped(rising)


@dataclass(frozen=True)
class Walk:
    """A loop over tiles of the `outer` side, in each of which rows of the `inner` side are met.

    Attributes
    ----------
    outer, inner : int
        Positions on each side.
    tile : int
        Outer rows of a tile.
    group : int
        Outer rows of each position.
    back, forth : int or None
        Outer position p meets inner ones from p - back to p + forth; None is no limit.
    """

    outer: int
    inner: int
    tile: int
    group: int
    back: int | None
    forth: int | None

    @property
    def rows(self) -> int:
        """Count the outer rows."""
        return self.outer * self.group

    @property
    def tiles(self) -> int:
        """Count the outer tiles."""
        return ceil_div(self.rows, self.tile)

    def met(self) -> int:
        """Sum over the tiles the inner positions that some row of the tile meets.

        >>> Walk(8, 8, 4, 1, None, 0).met(), Walk(8, 8, 4, 1, None, None).met()
        (12, 16)
        """
        return self._ends(0, 1) - self._starts(1)

    def blocks_met(self, block: int) -> int:
        """Sum over the tiles the blocks of so many inner positions in which it meets some.

        >>> Walk(8, 8, 4, 1, None, 0).blocks_met(4), Walk(8, 8, 4, 1, None, 0).blocks_met(8)
        (3, 2)
        """
        return self._ends(block - 1, block) - self._starts(block)

    def rows_meeting(self) -> int:
        """Count the outer rows of those tiles that meet anything.

        >>> Walk(10, 2, 4, 1, None, -8).rows_meeting()
        2
        """
        if self.forth is None:
            return self.rows
        blind = ceil_div(-self.forth * self.group - self.tile + 1, self.tile)
        return self.rows - max(0, blind) * self.tile

    def last(self) -> tuple[int, int]:
        """Give the rows of the last tile, and the first of the inner positions that it meets."""
        first = (self.tiles - 1) * self.tile
        start = 0 if self.back is None else max(0, first // self.group - self.back)
        return self.rows - first, start

    def _ends(self, plus: int, per: int) -> int:
        """Sum over the tiles where the inner positions that they meet end, in blocks rounded up."""
        if self.forth is None:
            return self.tiles * ((self.inner + plus) // per)
        whole, rest = divmod(self.rows, self.tile)
        moved = self.forth + 1
        slope, start = self.tile, self.tile - 1
        ends = clipped_sum(whole, slope, start, self.group, moved, self.inner, plus, per)
        end = min(self.inner, self.outer + self.forth)  # the last position meets something
        return ends + ((end + plus) // per if rest else 0)

    def _starts(self, per: int) -> int:
        """Sum over the tiles where the inner positions that they meet start, in whole blocks."""
        if self.back is None:
            return 0
        return clipped_sum(self.tiles, self.tile, 0, self.group, -self.back, self.inner, 0, per)
