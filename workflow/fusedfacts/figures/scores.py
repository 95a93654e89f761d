"""How large the model's scores are, and which are too large for fp16 without the subtraction."""

from __future__ import annotations

import math
from typing import Any

from fusedfacts.figures import svg, words
from fusedfacts.figures.chart import Axis, Linear, Panel

TITLE = "Where e to a score is infinite in fp16"
LEFT, RIGHT = 64, 18
PANEL = 220
FLOOR = 0.5  # the axis starts below 1, so that a bar of one score can be seen


def parted(overflow: dict[str, Any]) -> list[tuple[float, float, int, bool]]:
    """List the bars: from, to, how many scores, and whether e to them is infinite in fp16.

    The limit lies within an interval, which is parted there: the infinite terms that no later
    interval holds are its upper part.

    >>> fp16, held_out = {"ln_rounds_to_infinity_from": 11.09}, {"infinite_terms": 5}
    >>> histogram = {"edges": [10, 11, 12, 13], "counts": [9, 4, 2]}
    >>> parted({"fp16": fp16, "held_out": held_out, "histogram": histogram})
    [(10, 11, 9, False), (11, 11.09, 1, False), (11.09, 12, 3, True), (12, 13, 2, True)]
    """
    edges, counts = overflow["histogram"]["edges"], overflow["histogram"]["counts"]
    limit = overflow["fp16"]["ln_rounds_to_infinity_from"]
    bars: list[tuple[float, float, int, bool]] = []
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        if low < limit < high:
            later = sum(more for edge, more in zip(edges, counts, strict=False) if edge >= high)
            infinite = overflow["held_out"]["infinite_terms"] - later
            bars += [(low, limit, count - infinite, False), (limit, high, infinite, True)]
        else:
            bars.append((low, high, count, low >= limit))
    return [bar for bar in bars if bar[2]]


def draw(facts: dict[str, Any]) -> str:
    """Draw a histogram of the held-out scores with fp16's limit."""
    overflow = facts["overflow"]
    edges, counts = overflow["histogram"]["edges"], overflow["histogram"]["counts"]
    limit = overflow["fp16"]["ln_rounds_to_infinity_from"]
    held_out = overflow["held_out"]
    most = 10 ** math.ceil(math.log10(max(counts, default=1) or 1) + 1e-9)
    about = (
        "Held-out scores in unit steps. Where e to the score is infinity in fp16 the bars are"
        " hatched; subtracting each row's largest score first keeps every term at"
        f" {overflow['after_subtraction']['largest_term']:g} or below."
    )
    parts, top = svg.heading(TITLE, about)
    parts.append(f"<defs>{svg.hatching('scores-infinite', 0, 45)}</defs>")
    x_axis = Linear(min(edges), max(*edges, math.ceil(limit) + 1), "{:g}".format)
    y_axis = Axis(FLOOR, max(most, 10), 10, words.whole)
    panel = Panel(LEFT, top + 74, svg.WIDTH - RIGHT, top + 74 + PANEL, x_axis, y_axis)
    parts += panel.frame("", "score", "scores, on a logarithmic axis")
    for low, high, count, infinite in parted(overflow):
        looks = ("infinite", "scores-infinite") if infinite else ("m1", "")
        # A hair of paper between neighbours, where a bar is not itself so thin.
        (left, y), (right, bottom) = panel.at(low, count), panel.at(high, FLOOR)
        parts.append(svg.box(left + 0.5, y, max(right - left - 1, 0.5), bottom - y, *looks))
    x, _ = panel.at(limit, FLOOR)
    parts.append(svg.path([(x, panel.top - 36), (x, panel.bottom)], "frame"))
    # The words stand before the limit where there is room.
    at, anchor = (x - 8, "end") if x > svg.WIDTH / 2 else (x + 8, "start")
    beyond = f"{words.whole(held_out['infinite_terms'])} of {words.whole(held_out['scores'])}"
    for line, text in enumerate((f"e^score infinite in fp16 from {limit:g}:", f"{beyond} scores")):
        parts.append(svg.label(at, panel.top - 42 + 16 * line, text, "ink tick halo", anchor))
    description = (
        f"Held-out scores, the largest {held_out['largest_score']:g}. From {limit:g} on, e to a"
        f" score is infinity in fp16: {beyond} scores, in"
        f" {words.whole(held_out['rows_with_infinite_term'])} of {words.whole(held_out['rows'])}"
        " rows."
    )
    return svg.document(panel.bottom + 48, TITLE, description, parts)
