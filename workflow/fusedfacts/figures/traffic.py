"""Bytes over sequence length: the closed formula as lines, the emulator's counts as marks."""

from __future__ import annotations

from typing import Any

from fusedfacts.attention import traffic as counts
from fusedfacts.figures import svg, words
from fusedfacts.figures.chart import Axis, Panel, between, lengths, spanning

TITLE = "Bytes moved by a head"
WIDTH = 480
LEFT, RIGHT = 72, 148  # room for the ticks, and for the words at the lines' ends
PANEL, ROW = 205, 290  # pixels of a panel, and from one to the next
STEPS = 160  # lengths at which the formula is drawn; a step of the fused line is a query tile
WAYS = ("unfused", "fused")  # series 0 and 1
COMPULSORY = 2
OCTAVES = 8  # bytes have ticks at powers of eight: three octaves apart


def formula(way: int, n: int, d: int) -> int:
    """Bytes of a series at a size, by the closed formulas."""
    if way == COMPULSORY:
        return counts.compulsory_bytes(n, d)
    return counts.total_bytes((counts.unfused, counts.fused)[way](n, d))


def _counted(size: dict[str, Any], way: int) -> int:
    """Bytes of a series at a size, as the facts have them."""
    return int(size["compulsory_bytes"] if way == COMPULSORY else size[WAYS[way]]["bytes"])


def _panel(sizes: list[dict[str, Any]], top: float, x: Axis, y: Axis) -> list[str]:
    d, largest = sizes[0]["d"], sizes[-1]
    panel = Panel(LEFT, top, WIDTH - LEFT - RIGHT, PANEL, x, y)
    parts = panel.frame(f"{d} numbers a head", "words n", "bytes")
    grid = sorted({*between(x.low, largest["n"], STEPS), *(size["n"] for size in sizes)})
    for way in (COMPULSORY, 0, 1):
        parts.append(panel.line([(n, formula(way, n, d)) for n in grid], f"s{way}"))
    ends = []
    for way, name in reversed(list(enumerate((*WAYS, "compulsory")))):
        counted = [(size["n"], _counted(size, way)) for size in sizes]
        parts += [svg.marker(*panel.at(*point), way) for point in counted]
        ends.append((counted[-1][1], name))
    return parts + panel.ends(
        largest["n"], [(size, f"{name} {words.amount(size)}") for size, name in ends]
    )


def draw(facts: dict[str, Any]) -> str:
    """Bytes of both ways over n, a panel for each head dimension, beside the compulsory bytes.

    Parameters
    ----------
    facts : dict
        A valid facts.json.
    """
    traffic = sorted(facts["traffic"], key=lambda size: int(size["n"]))
    dims = sorted({size["d"] for size in traffic}, reverse=True)
    x = lengths([size["n"] for size in traffic], words.whole)
    # All panels share their axes, so that a height means the same everywhere.
    least = min(size["compulsory_bytes"] for size in traffic)
    y = spanning(
        [least, *(size[way]["bytes"] for size in traffic for way in WAYS)], OCTAVES, words.amount
    )
    about = (
        "Lines are the closed formulas, marks the emulator's own count of every load and store."
        " Both axes are logarithmic."
    )
    parts, top = svg.heading(TITLE, about, WIDTH)
    said = []
    for i, d in enumerate(dims):
        sizes = [size for size in traffic if size["d"] == d]
        parts += _panel(sizes, top + 62 + i * ROW, x, y)
        last = sizes[-1]
        said.append(
            f"With {d} numbers a head and {words.several(last['n'], 'word')}, unfused moves"
            f" {words.amount(last['unfused']['bytes'])}, fused"
            f" {words.amount(last['fused']['bytes'])}; the compulsory bytes are"
            f" {words.amount(last['compulsory_bytes'])}."
        )
    description = "Bytes of unfused and fused attention over the number of words. " + " ".join(said)
    return svg.document(WIDTH, top + len(dims) * ROW + 22, TITLE, description, parts)
