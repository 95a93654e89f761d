"""How much of its bound each recorded kernel reaches, by kernel and precision."""

from __future__ import annotations

from typing import Any

from fusedfacts.figures import svg, words
from fusedfacts.figures.chart import Axis, spanning

TITLE = "Real kernels, held to their bounds"
LEFT, RIGHT = 206, 20  # room for the kernels' names, and for half a mark
ROW, KEY = 24, 22
SERIES = ("fp32", "fp16", "bf16")
PARTS = ("output", "lse")


def names(call: dict[str, Any]) -> tuple[str, str]:
    """Name a library, and its kernel or the heads that it was called on.

    >>> names({"library": "mlx", "kernel": "fast", "model": None})
    ('mlx', 'fast')
    """
    return call["library"], call["model"] or call["kernel"]


def largest(judged: dict[str, Any]) -> float:
    """Take the larger ratio of answer and lse."""
    return max(judged[part] or 0.0 for part in PARTS)


def _mark(x: float, y: float, call: dict[str, Any], holds: bool) -> str:
    series = SERIES.index(call["precision"])
    mark = svg.marker(x, y, series)
    return f'<g class="holds">{mark}</g>' if holds else svg.ring(x, y, svg.MARKER, f"o{series}")


def _key(top: float) -> list[str]:
    parts = []
    for i, precision in enumerate(SERIES):
        parts.append(svg.marker(24 + 78 * i, top - 4, i))
        parts.append(svg.label(34 + 78 * i, top, precision, "ink tick"))
    parts.append(svg.ring(24, top + KEY - 4, svg.MARKER, "o1"))
    text = "judged by a recipe that says less than the kernel does"
    return [*parts, svg.label(34, top + KEY, text, "ink tick")]


def draw(facts: dict[str, Any]) -> str:
    """Draw the largest error over bound of each call, by each of its recipes."""
    calls = [call for _, call in sorted(facts["real"]["calls"].items())]
    kernels = sorted(set(map(names, calls)))
    # A row for each kernel, below one for its library.
    rows = sorted([*kernels, *{(library, "") for library, _ in kernels}])
    ratios = [largest(each) for call in calls for each in call["judged"].values()]
    axis: Axis = spanning([*ratios, 1.0], 10, words.power)
    about = (
        "Largest error of an answer or of its lse, over the bound that is proved for it. Left of"
        " the line it holds, by the recipe that says what the kernel does."
    )
    parts, top = svg.heading(TITLE, about)
    parts += _key(top + 28)
    top += 28 + KEY + 34
    bottom = top + ROW * len(rows)
    width = svg.WIDTH - LEFT - RIGHT
    for value in axis.ticks():
        x = LEFT + width * axis.place(value)
        parts.append(svg.path([(x, top), (x, bottom)], "frame" if value == 1 else "grid"))
        parts.append(svg.label(x, bottom + 19, axis.write(value), "faint tick scale", "middle"))
    for r, row in enumerate(rows):
        y = top + (r + 0.5) * ROW + 4
        if row[1]:
            parts.append(svg.label(LEFT - 10, y, row[1], "ink tick", "end"))
        else:
            parts.append(svg.label(16, y, row[0], "ink strong"))
    for call in calls:
        y = top + (rows.index(names(call)) + 0.5) * ROW
        for _, each in sorted(call["judged"].items()):
            x = LEFT + width * axis.place(max(largest(each), axis.low))
            parts.append(_mark(x, y, call, each["holds"]))
    held = [largest(each) for c in calls for each in c["judged"].values() if each["holds"]]
    description = (
        f"{len(calls)} calls of {words.listed(sorted({call['library'] for call in calls}))}. Where"
        f" the recipe says what the kernel does, the largest error is {max(held):g} of its bound."
    )
    return svg.document(bottom + 44, TITLE, description, parts)
