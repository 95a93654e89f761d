"""How large the model's scores are, and which are too large for fp16 without the subtraction."""

from __future__ import annotations

import math
from typing import Any

from fusedfacts.pictures import svg, words
from fusedfacts.pictures.chart import Axis, Linear, Panel

TITLE = "Scores that fp16 could not hold"
WIDTH, HEIGHT = 480, 410
LEFT, RIGHT = 64, 18
PANEL = 220
FLOOR = 0.5  # the axis starts below 1, so that a bar of one score can be seen


def draw(facts: dict[str, Any]) -> str:
    """A histogram of the held-out scores with fp16's limit.

    Parameters
    ----------
    facts : dict
        A valid facts.json.
    """
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
    parts, top = svg.heading(TITLE, about, WIDTH)
    parts.append(f"<defs>{svg.hatching('scores-infinite', 0, 45)}</defs>")
    panel = Panel(
        LEFT,
        top + 74,
        WIDTH - LEFT - RIGHT,
        PANEL,
        Linear(min(edges), max(*edges, math.ceil(limit) + 1), lambda x: f"{x:g}"),
        Axis(FLOOR, max(most, 10), 10, words.whole),
    )
    parts += panel.frame("", "score", "scores")
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        if count:
            parts += _bar(panel, low, min(high, limit), count, "m1", "")
            parts += _bar(panel, max(low, limit), high, count, "infinite", "scores-infinite")
    x, _ = panel.at(limit, FLOOR)
    parts.append(svg.path([(x, panel.top - 36), (x, panel.bottom)], "frame"))
    # The words stand before the limit where there is room.
    at, anchor = (x - 8, "end") if x > WIDTH / 2 else (x + 8, "start")
    beyond = f"{words.whole(held_out['infinite_terms'])} of {words.whole(held_out['scores'])}"
    for line, text in enumerate((f"infinite in fp16 from {limit:g} on:", f"{beyond} scores")):
        parts.append(svg.label(at, panel.top - 42 + 16 * line, text, "ink tick halo", anchor))
    description = (
        f"Held-out scores, the largest {held_out['largest_score']:g}. From {limit:g} on, e to a"
        f" score is infinity in fp16: {beyond} scores, in"
        f" {words.whole(held_out['rows_with_infinite_term'])} of {words.whole(held_out['rows'])}"
        " rows."
    )
    return svg.document(WIDTH, panel.bottom + 48, TITLE, description, parts)


def _bar(panel: Panel, low: float, high: float, count: int, kind: str, fill: str) -> list[str]:
    """A bar between two scores, a hair apart from its neighbours."""
    if high <= low:
        return []
    (left, top), (right, bottom) = panel.at(low, count), panel.at(high, FLOOR)
    return [svg.box(left + 0.5, top, max(right - left - 1, 0.5), bottom - top, kind, fill)]
