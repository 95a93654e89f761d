"""Error against bound over sequence length."""

from __future__ import annotations

from typing import Any

from fusedfacts.figures import svg, words
from fusedfacts.figures.chart import Axis, Panel, lengths, spanning
from fusedfacts.figures.traffic import METHODS, by_dimension

TITLE = "Largest error, and the bound on it"
LEFT, RIGHT = 56, 122
PANEL, ROW = 190, 275


def _panel(sizes: list[dict[str, Any]], top: float, x: Axis, y: Axis) -> list[str]:
    panel = Panel(LEFT, top, svg.WIDTH - RIGHT, top + PANEL, x, y)
    parts = panel.frame(f"{sizes[0]['d']} numbers a head", "words n", "|answer - exact|")
    last = sizes[-1]
    ends = []
    for number, method in enumerate(METHODS):
        bounds = [(size["n"], size[method]["bound_there"]) for size in sizes]
        errors = [(size["n"], size[method]["largest_error"]) for size in sizes]
        parts.append(panel.line(bounds, f"s{number}"))
        for left, y_bound in (panel.at(*point) for point in bounds):
            parts.append(svg.box(left - 5, y_bound - 1.5, 10, 3, f"m{number}"))  # a ceiling
        parts += panel.series(errors, number)
        ends.append((last[method]["bound_there"], f"bound, {method}"))
        ends.append((last[method]["largest_error"], f"error, {method}"))
    return parts + panel.ends(last["n"], ends)


def sight(facts: dict[str, Any]) -> str:
    """Say what the check still sees at every size; nothing where at some size it is blind."""
    figures = [size[method] for size in facts["traffic"] for method in METHODS]
    seen = [method["smallest_fault_seen"]["in_every_row"] for method in figures]
    if None in seen:
        return ""
    part = words.whole(2 ** min(seen))
    return f"At every size the check still sees each row whose total is wrong by a part in {part}."


def draw(facts: dict[str, Any]) -> str:
    """Draw the largest error of each method and the bound at that element, over n.

    An error of 0 stands on the lower edge, labelled 0.
    """
    panels = by_dimension(facts)
    figures = [size[method] for size in facts["traffic"] for method in METHODS]
    x = lengths([size["n"] for size in facts["traffic"]], words.whole)
    values = [method[key] for method in figures for key in ("largest_error", "bound_there")]
    y = spanning(values, 10, words.power)
    about = (
        "Marks with lines are the largest error of an answer on random inputs, bars the bound that"
        " is proved for that element. " + sight(facts)
    )
    parts, top = svg.heading(TITLE, about)
    for i, sizes in enumerate(panels.values()):
        parts += _panel(sizes, top + 62 + i * ROW, x, y)
    worst = max(method["largest_ratio"] for method in figures)
    description = (
        "Largest error of unfused and fused attention over the number of words, below its bound"
        f" everywhere. The largest error over bound of any element is {worst:g}. {sight(facts)}"
    )
    return svg.document(top + len(panels) * ROW + 22, TITLE, description.strip(), parts)
