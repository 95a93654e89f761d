"""One panel of a chart: logarithmic axes, grid, series with whiskers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fusedfacts.pictures import svg

Points = Sequence[tuple[float, float]]
TICKS_MOST = 8  # labels on one axis that can still be read


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis.

    Attributes
    ----------
    low, high : float
        Ends, above 0.
    base : float
        Ticks stand at whole powers of it, every second or third where there are too many.
    write : callable
        Turns a tick's value into its label.
    """

    low: float
    high: float
    base: float
    write: Callable[[float], str]

    def place(self, value: float) -> float:
        """Where a value stands, from 0 to 1."""
        return math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        """Values that get a label."""
        near = 1e-9  # a power that is an end counts, whatever its logarithm's last digit is
        first = math.ceil(math.log(self.low, self.base) - near)
        last = math.floor(math.log(self.high, self.base) + near)
        step = max(1, math.ceil((last - first + 1) / TICKS_MOST))
        return [self.base**power for power in range(first, last + 1, step)]


def spanning(values: Sequence[float], base: float, write: Callable[[float], str]) -> Axis:
    """An axis from the power of `base` below all values to the one above.

    >>> axis = spanning([3, 700], 10, str)
    >>> axis.low, axis.high
    (1, 1000)
    """
    low = base ** math.floor(math.log(min(values), base) + 1e-9)
    high = base ** math.ceil(math.log(max(values), base) - 1e-9)
    return Axis(low, high if high > low else low * base, base, write)


@dataclass(frozen=True)
class Panel:
    """A rectangle of the picture with two axes."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a value."""
        return (
            self.left + self.width * self.x.place(x),
            self.top + self.height * (1 - self.y.place(y)),
        )

    def frame(self, title: str, x_label: str, y_label: str) -> list[str]:
        """Grid, ticks, axes and their words."""
        parts = []
        bottom, right = self.top + self.height, self.left + self.width
        for value in self.x.ticks():
            x, _ = self.at(value, self.y.low)
            parts.append(svg.path([(x, self.top), (x, bottom)], "grid"))
            parts.append(svg.label(x, bottom + 15, self.x.write(value), "faint tick", "middle"))
        for value in self.y.ticks():
            _, y = self.at(self.x.low, value)
            parts.append(svg.path([(self.left, y), (right, y)], "grid"))
            parts.append(svg.label(self.left - 6, y + 4, self.y.write(value), "faint tick", "end"))
        parts.append(
            svg.path([(self.left, self.top), (self.left, bottom), (right, bottom)], "axis")
        )
        parts.append(svg.label(self.left, self.top - 24, title, "ink title"))
        parts.append(svg.label(self.left, self.top - 8, y_label, "faint tick"))
        parts.append(svg.label(right, bottom + 30, x_label, "faint tick", "end"))
        return parts

    def series(self, points: Points, number: int, marked: bool = True) -> list[str]:
        """A line through points, with marks."""
        places = [self.at(x, y) for x, y in points]
        marks = [svg.marker(x, y, number) for x, y in places] if marked else []
        return [svg.path(places, f"s{number}"), *marks]

    def whisker(self, x: float, low: float, high: float, number: int) -> str:
        """A vertical line from one value to another."""
        return svg.path([self.at(x, low), self.at(x, high)], f"s{number}")


def legend(left: float, top: float, names: Sequence[str], step: float = 150) -> list[str]:
    """Names of series 0, 1, ... in one row."""
    parts = []
    for number, name in enumerate(names):
        x = left + number * step
        parts.append(svg.path([(x, top - 4), (x + 26, top - 4)], f"s{number}"))
        parts.append(svg.marker(x + 13, top - 4, number))
        parts.append(svg.label(x + 32, top, name))
    return parts
