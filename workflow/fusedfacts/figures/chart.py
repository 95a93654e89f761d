"""One panel of a chart: logarithmic or linear axes, grid, series with whiskers, labelled ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fusedfacts.figures import svg

Points = Sequence[tuple[float, float]]
TICKS_MOST = 8  # labels on one axis that can still be read
LINEAR_TICKS = 5  # about as many on a linear one


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from `low` to `high`, both above 0.

    Ticks stand at whole powers of `base`, every second or third where there are too many; `write`
    turns a tick's value into its label. With `zero` the low end stands for 0, which has no
    logarithm.
    """

    low: float
    high: float
    base: float
    write: Callable[[float], str]
    zero: bool = False

    def place(self, value: float) -> float:
        """Compute where a value stands, from 0 to 1."""
        if self.zero and value <= self.low:
            return 0.0
        return math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        """List the values that get a label."""
        near = 1e-9  # a power that is an end counts, whatever its logarithm's last digit is
        first = math.ceil(math.log(self.low, self.base) - near)
        last = math.floor(math.log(self.high, self.base) + near)
        step = max(1, math.ceil((last - first + 1) / TICKS_MOST))
        powers = [self.base**power for power in range(first, last + 1, step)]
        return [0.0, *powers[1:]] if self.zero else powers


@dataclass(frozen=True)
class Linear:
    """A linear axis from `low` to `high`, with ticks at round values.

    >>> Linear(-20, 20, str).ticks()
    [-20.0, -10.0, 0.0, 10.0, 20.0]
    """

    low: float
    high: float
    write: Callable[[float], str]

    def place(self, value: float) -> float:
        """Compute where a value stands, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """List the values that get a label: whole multiples of a round step."""
        step = round_step(self.high - self.low)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{step * k:g}") for k in range(first, last + 1)]


def round_step(length: float) -> float:
    """Choose 1, 2 or 5 times a power of ten, so that few steps make up a length.

    >>> round_step(40), round_step(0.7)
    (10.0, 0.2)
    """
    power = 10.0 ** math.floor(math.log10(length / LINEAR_TICKS))
    return next(m * power for m in (1, 2, 5, 10) if m * power * LINEAR_TICKS >= length * (1 - 1e-9))


def spanning(values: Sequence[float], base: float, write: Callable[[float], str]) -> Axis:
    """Make an axis from the power of `base` below all values to the one above; 0 gets the low end.

    >>> axis = spanning([3, 700], 10, str)
    >>> axis.low, axis.high
    (1, 1000)
    >>> spanning([0, 3, 700], 10, str).ticks()
    [0.0, 1, 10, 100, 1000]
    """
    above = [value for value in values if value > 0] or [1]
    low = base ** math.floor(math.log(min(above), base) + 1e-9)
    high = base ** math.ceil(math.log(max(above), base) - 1e-9)
    high = high if high > low else low * base
    zero = min(values) <= 0
    return Axis(low / base if zero else low, high, base, write, zero)


def lengths(values: Sequence[int], write: Callable[[float], str]) -> Axis:
    """Make an axis of sequence lengths, from the least to the largest; one alone gets an octave.

    >>> lengths([512, 64], str).low, lengths([3], str).low
    (64, 1.5)
    """
    low, high = min(values), max(*values, 2)
    return Axis(low if low < high else low / 2, high, 2, write)


def between(low: float, high: float, most: int) -> list[int]:
    """List whole numbers from `low` to `high`, evenly far apart on a logarithmic axis.

    >>> between(1, 8, 3)
    [1, 2, 4, 8]
    """
    first, last = math.ceil(low), math.floor(high)
    return sorted({round(first * (last / first) ** (i / most)) for i in range(most + 1)})


def spread(wanted: Sequence[float], gap: float, most: float) -> list[float]:
    """Find places up to `most`, as near as can be to the wanted, with a gap between any two.

    >>> spread([10, 50, 52], 10, most=90), spread([10, 50, 52], 10, most=50)
    ([10.0, 46.0, 56.0], [10.0, 40.0, 50.0])
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Less the gaps, places need only not fall; neighbours that would are pooled at their mean.
    pools: list[list[float]] = []
    for rank, i in enumerate(order):
        pools.append([wanted[i] - rank * gap, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            before, others = pools[-1]
            pools[-1] = [(mean * size + before * others) / (size + others), size + others]
    flat = [mean for mean, size in pools for _ in range(int(size))]
    places = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        places[i] = float(min(flat[rank] + rank * gap, most - (len(order) - 1 - rank) * gap))
    return places


@dataclass(frozen=True)
class Panel:
    """A rectangle of the picture with two axes."""

    left: float
    top: float
    right: float
    bottom: float
    x: Axis | Linear
    y: Axis | Linear

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Compute the pixels of a value."""
        width, height = self.right - self.left, self.bottom - self.top
        return self.left + width * self.x.place(x), self.top + height * (1 - self.y.place(y))

    def frame(self, title: str, x_label: str, y_label: str) -> list[str]:
        """Draw grid, ticks, axes and their words."""
        parts = []
        for value in self.x.ticks():
            x, _ = self.at(value, self.y.low)
            parts.append(svg.path([(x, self.top), (x, self.bottom)], "grid"))
            words = self.x.write(value)
            parts.append(svg.label(x, self.bottom + 19, words, "faint tick scale", "middle"))
        for value in self.y.ticks():
            _, y = self.at(self.x.low, value)
            parts.append(svg.path([(self.left, y), (self.right, y)], "grid"))
            words = self.y.write(value)
            parts.append(svg.label(self.left - 6, y + 4, words, "faint tick scale", "end"))
        corner = (self.left, self.bottom)
        parts.append(svg.path([(self.left, self.top), corner, (self.right, self.bottom)], "axis"))
        if title:
            parts.append(svg.label(self.left, self.top - 26, title, "ink title"))
        parts.append(svg.label(self.left, self.top - 9, y_label, "faint tick"))
        parts.append(svg.label(self.right, self.bottom + 35, x_label, "faint tick", "end"))
        return parts

    def line(self, points: Points, kind: str) -> str:
        """Draw a line through points, without marks."""
        return svg.path([self.at(x, y) for x, y in points], kind)

    def series(self, points: Points, number: int) -> list[str]:
        """Draw a line through points, with marks."""
        marks = [svg.marker(*self.at(x, y), number) for x, y in points]
        return [self.line(points, f"s{number}"), *marks]

    def ends(self, x: float, named: Sequence[tuple[float, str]]) -> list[str]:
        """Write words to the right of lines that end at x, as near to their ends as they fit."""
        places = [self.at(x, y) for y, _ in named]
        heights = spread([y for _, y in places], svg.SMALL + 3, self.bottom)
        return [
            svg.label(left + 9, height + 4, words, "ink tick halo")
            for (left, _), height, (_, words) in zip(places, heights, named, strict=True)
        ]


def legend(left: float, top: float, names: Sequence[str], step: float = 150) -> list[str]:
    """Name series 0, 1, ... in one row."""
    parts = []
    for number, name in enumerate(names):
        x = left + number * step
        parts.append(svg.path([(x, top - 4), (x + 26, top - 4)], f"s{number}"))
        parts.append(svg.marker(x + 13, top - 4, number))
        parts.append(svg.label(x + 32, top, name))
    return parts
