"""Error against bound over sequence length."""

from __future__ import annotations

from typing import Any

from fusedfacts.figures import svg, words
from fusedfacts.figures.chart import Axis, Panel, lengths, spanning

TITLE = "Largest error, and the bound on it"
WIDTH = 480
LEFT, RIGHT = 56, 122
PANEL, ROW = 190, 275
WAYS = ("unfused", "fused")  # series 0 and 1


def _panel(sizes: list[dict[str, Any]], top: float, x: Axis, y: Axis) -> list[str]:
    panel = Panel(LEFT, top, WIDTH - LEFT - RIGHT, PANEL, x, y)
    parts = panel.frame(f"{sizes[0]['d']} numbers a head", "words n", "|answer - exact|")
    last = sizes[-1]
    ends = []
    for number, way in enumerate(WAYS):
        bounds = [(size["n"], size[way]["bound_there"]) for size in sizes]
        parts.append(panel.line(bounds, f"s{number}"))
        parts += [_short_line(*panel.at(*point), number) for point in bounds]
        parts += panel.series([(size["n"], size[way]["largest_error"]) for size in sizes], number)
        ends.append((last[way]["bound_there"], f"bound, {way}"))
        ends.append((last[way]["largest_error"], f"error, {way}"))
    return parts + panel.ends(last["n"], ends)


def _short_line(x: float, y: float, series: int) -> str:
    """The mark of a bound: a ceiling."""
    return svg.box(x - 5, y - 1.5, 10, 3, f"m{series}")


def sight(facts: dict[str, Any]) -> str:
    """What the check still sees at every size, in words; nothing where at some size it is blind."""
    seen = [
        size[way]["smallest_fault_seen"]["in_every_row"]
        for size in facts["traffic"]
        for way in WAYS
    ]
    if None in seen:
        return ""
    return (
        "At every size the check still sees each row whose total is wrong by a part in"
        f" {words.whole(2 ** min(seen))}."
    )


def draw(facts: dict[str, Any]) -> str:
    """Largest error of each way and the bound at that element, over n, for each head dimension.

    Parameters
    ----------
    facts : dict
        A valid facts.json. An error of 0 stands on the lower edge, labelled 0.
    """
    traffic = sorted(facts["traffic"], key=lambda size: int(size["n"]))
    dims = sorted({size["d"] for size in traffic}, reverse=True)
    values = [
        size[way][key]
        for size in traffic
        for way in WAYS
        for key in ("largest_error", "bound_there")
    ]
    x, y = lengths([size["n"] for size in traffic], words.whole), spanning(values, 10, words.power)
    about = (
        "Marks with lines are the largest error of an answer on random inputs, bars the bound that"
        " is proved for that element. " + sight(facts)
    )
    parts, top = svg.heading(TITLE, about, WIDTH)
    for i, d in enumerate(dims):
        sizes = [size for size in traffic if size["d"] == d]
        parts += _panel(sizes, top + 62 + i * ROW, x, y)
    worst = max(size[way]["largest_ratio"] for size in traffic for way in WAYS)
    description = (
        "Largest error of unfused and fused attention over the number of words, below its bound"
        f" everywhere. The largest error over bound of any element is {worst:g}. {sight(facts)}"
    )
    return svg.document(WIDTH, top + len(dims) * ROW + 22, TITLE, description.strip(), parts)
