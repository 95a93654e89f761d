"""Bytes over sequence length: the closed formula as lines, the emulator's counts as marks."""

from __future__ import annotations

from typing import Any

from fusedfacts.attention import traffic
from fusedfacts.figures import svg, words
from fusedfacts.figures.chart import Axis, Panel, between, lengths, spanning
from fusedfacts.terminal import counted

TITLE = "Bytes moved by a head"
LEFT, RIGHT = 72, 148  # room for the ticks, and for the words at the lines' ends
PANEL, ROW = 205, 290  # pixels of a panel, and from one to the next
STEPS = 160  # lengths at which the formula is drawn; a step of the fused line is a query tile
METHODS = ("unfused", "fused")
FORMULAS = {  # series 0, 1 and 2
    "unfused": lambda n, d: traffic.total_bytes(traffic.unfused(n, d)),
    "fused": lambda n, d: traffic.total_bytes(traffic.fused(n, d)),
    "compulsory": traffic.compulsory_bytes,
}
OCTAVES = 8  # bytes have ticks at powers of eight: three octaves apart


def by_dimension(facts: dict[str, Any]) -> dict[int, list[dict[str, Any]]]:
    """Group the sweep's sizes by head dimension, the largest first, each by growing length."""
    sizes = sorted(facts["traffic"], key=lambda size: int(size["n"]))
    dims = sorted({size["d"] for size in sizes}, reverse=True)
    return {d: [size for size in sizes if size["d"] == d] for d in dims}


def _panel(sizes: list[dict[str, Any]], top: float, x: Axis, y: Axis) -> list[str]:
    d, largest = sizes[0]["d"], sizes[-1]
    panel = Panel(LEFT, top, svg.WIDTH - RIGHT, top + PANEL, x, y)
    parts = panel.frame(f"{d} numbers a head", "words n", "bytes")
    grid = sorted({*between(x.low, largest["n"], STEPS), *(size["n"] for size in sizes)})
    series = list(enumerate(FORMULAS.items()))
    for number, (_, formula) in (series[-1], *series[:-1]):
        parts.append(panel.line([(n, formula(n, d)) for n in grid], f"s{number}"))
    ends = []
    for number, (name, _) in reversed(series):
        for size in sizes:
            moved = size[name]["bytes"] if name in METHODS else size["compulsory_bytes"]
            parts.append(svg.marker(*panel.at(size["n"], moved), number))
        ends.append((moved, f"{name} {words.amount(moved)}"))
    return parts + panel.ends(largest["n"], ends)


def draw(facts: dict[str, Any]) -> str:
    """Draw the bytes of both methods over n, a panel for each head dimension."""
    panels = by_dimension(facts)
    sizes = facts["traffic"]
    x = lengths([size["n"] for size in sizes], words.whole)
    # All panels share their axes, so that a height means the same everywhere.
    least = min(size["compulsory_bytes"] for size in sizes)
    moved = [size[method]["bytes"] for size in sizes for method in METHODS]
    y = spanning([least, *moved], OCTAVES, words.amount)
    about = (
        "Lines are the closed formulas, marks the emulator's own count of every load and store."
        " Both axes are logarithmic."
    )
    parts, top = svg.heading(TITLE, about)
    sentences = []
    for i, (d, sizes) in enumerate(panels.items()):
        parts += _panel(sizes, top + 62 + i * ROW, x, y)
        last = sizes[-1]
        sentences.append(
            f"With {d} numbers a head and {counted(last['n'], 'word')}, unfused moves"
            f" {words.amount(last['unfused']['bytes'])}, fused"
            f" {words.amount(last['fused']['bytes'])}; the compulsory bytes are"
            f" {words.amount(last['compulsory_bytes'])}."
        )
    description = "Bytes of unfused and fused attention over the number of words. "
    description += " ".join(sentences)
    return svg.document(top + len(panels) * ROW + 22, TITLE, description, parts)
