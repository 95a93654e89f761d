"""Where an answer exceeds its bound: error / bound by row and column, and by row and key tile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fusedfacts.attention.problem import Wide
from fusedfacts.figures import svg, words
from fusedfacts.judging.accuracy import KEY_ROWS_LEAST, tile_of
from fusedfacts.judging.head import Head
from fusedfacts.judging.verdict import Judgement
from fusedfacts.terminal import counted

TITLE = "Where the answer exceeds its bound"
LEFT, RIGHT = 64, 16  # room for the rows' numbers, and at the other side
CELL_MOST = 22.0  # pixels of a cell
LEAST = 0.3  # of a cell's half: the square of a ratio of one
LABELS_MOST = 8  # along one side
GAP = 66  # pixels between two panels, for the lower one's title and numbers
QUIET = 1.2  # radius of the dot of a cell that is within its bound


@dataclass(frozen=True)
class Panel:
    """Cells of row tiles by tiles of something else.

    Attributes
    ----------
    title : str
    ratios : ndarray, shape (row tiles, tiles)
        NaN where there is nothing to judge.
    tall, wide : int
        Rows, and whatever stands in columns, of a tile.
    by_row : bool
        Whether squares compare with the largest of their row, not of the picture.
    """

    title: str
    ratios: Wide
    tall: int
    wide: int
    by_row: bool = False

    def part(self, r: int, c: int, largest: float) -> float:
        """Compute the half of a square as a part of a cell's."""
        if not self.by_row:
            return half_size(float(self.ratios[r, c]), largest)
        finite = self.ratios[r][np.isfinite(self.ratios[r])]
        return max(LEAST, float(min(self.ratios[r, c] / finite.max(), 1))) if finite.size else 1.0


def half_size(ratio: float, largest: float) -> float:
    """Compute the half of a square as a part of a cell's: it grows with the ratio's logarithm.

    >>> [round(half_size(ratio, 100), 2) for ratio in (1, 10, 100)]
    [0.3, 0.65, 1.0]
    """
    if ratio <= 1 or largest <= 1:
        return LEAST
    return LEAST + (1 - LEAST) * min(1.0, math.log(ratio) / math.log(largest))


def mark(x: float, y: float, ratio: float, part: float, cell: float) -> str:
    """Draw a cell: a square by size (crossed: no number), a dot within the bound, or nothing."""
    if math.isnan(ratio):
        return ""
    if ratio <= 1:
        return svg.ring(x, y, QUIET, "within m1")
    half = (cell - 1) / 2
    if math.isinf(ratio):
        return f'<g class="exceeds">{svg.crossed(x, y, half, half * 0.6)}</g>'
    half *= part
    return f'<g class="exceeds">{svg.box(x - half, y - half, 2 * half, 2 * half, "m0")}</g>'


def _labelled(tiles: int) -> range:
    """Choose which tiles get a number: all, or every second, fourth and so on."""
    step = 1
    while tiles > step * LABELS_MOST:
        step *= 2
    return range(0, tiles, step)


def _drawn(panel: Panel, top: float, largest: float) -> tuple[list[str], float]:
    """Draw a panel; return it and where it ends."""
    rows, columns = panel.ratios.shape
    cell = min(CELL_MOST, (svg.WIDTH - LEFT - RIGHT) / max(rows, columns))
    right, bottom = LEFT + columns * cell, top + rows * cell
    parts = [svg.label(16, top - 28, panel.title, "ink strong")]
    for r in _labelled(rows):
        y = top + r * cell
        parts.append(svg.path([(LEFT, y), (right, y)], "grid"))
        parts.append(svg.label(LEFT - 6, y + 11, words.whole(r * panel.tall), "faint tick", "end"))
    # A number is wider than a narrow cell.
    room = max(1, math.ceil(svg.breadth("000,000", svg.SMALL) / cell))
    named = range(0, columns, max(_labelled(columns).step, room))
    for c in named:
        x = LEFT + c * cell
        parts.append(svg.path([(x, top), (x, bottom)], "grid"))
        parts.append(svg.label(x + 1, top - 8, words.whole(c * panel.wide), "faint tick"))
    for r in range(rows):
        for c in range(columns):
            x, y = LEFT + (c + 0.5) * cell, top + (r + 0.5) * cell
            parts.append(mark(x, y, float(panel.ratios[r, c]), panel.part(r, c, largest), cell))
    corners = [(LEFT, top), (right, top), (right, bottom), (LEFT, bottom), (LEFT, top)]
    parts.append(svg.path(corners, "axis"))
    return [part for part in parts if part], bottom


def _key(top: float, largest: float) -> list[str]:
    """Explain the marks."""
    power = math.ceil(math.log10(max(largest, 10)))
    samples = [10.0**exponent for exponent in sorted({0, power // 2, power})]
    shown = [
        mark(24 + 22 * i, top - 4, ratio * 1.001, half_size(ratio, 10.0**power), 18)
        for i, ratio in enumerate(samples)
    ]
    times = words.listed([words.power(ratio) for ratio in samples])
    parts = [*shown, svg.label(24 + 22 * len(samples), top, f"error {times} times its bound")]
    parts += [mark(24, top + 18, 0.5, 1, 18), svg.label(46, top + 22, "within its bound")]
    parts += [mark(190, top + 18, math.inf, 1, 18), svg.label(212, top + 22, "no number")]
    return parts


def _panels(found: Head, name: str, n_k: int) -> list[Panel]:
    """List what is known of a head: its rows by columns, and by key tiles."""
    held = found.output if name == "o" else found.lse
    if held is None or held.profile is None:
        return []
    tall, wide = held.profile.steps
    rows = f"{name}: rows downwards"
    title = f"{rows}, columns to the right" if len(held.profile.columns) > 1 else rows
    panels = [Panel(title, held.profile.tiles, tall, wide)]
    if name == "o" and found.along is not None:
        wide = tile_of(n_k, KEY_ROWS_LEAST)
        title = "o: rows downwards, keys to the right, largest in each row"
        panels.append(Panel(title, found.along, tall, wide, by_row=True))
    return panels


def error_map(found: Judgement, head: int | None = None) -> str:
    """Draw error / bound by row and column tile of one head, and by row and key tile, as SVG.

    The head is the worst where none is named. Key tiles are drawn of an answer that does not hold
    and of which no mistake is named: the error along what each tile contributes to the row, over
    the bound that it has along that.
    """
    ratios = [one.largest_ratio for one in found.heads]
    index = int(np.argmax(ratios)) if head is None else head
    one = found.heads[index]
    panels = [panel for name in ("o", "lse") for panel in _panels(one, name, found.sizes.n_k)]
    finite = [panel.ratios[np.isfinite(panel.ratios)] for panel in panels]
    largest = max((float(part.max()) for part in finite if part.size), default=1.0)
    verdict = f"Head {index}: {one.verdict}, if {found.recipe.name}."
    tiles = [
        f"{counted(panel.tall, 'row')} by {panel.wide:,}" for panel in panels if panel.tall > 1
    ]
    about = f"{verdict} Each cell is the largest error over bound in it."
    if tiles:
        about += f" Cells hold {words.listed(list(dict.fromkeys(tiles)))}."
    parts, top = svg.heading(TITLE, about)
    parts += _key(top + 28, largest)
    top += 28 + 22
    scale = 10.0 ** math.ceil(math.log10(max(largest, 10)))
    for panel in panels:
        drawn, top = _drawn(panel, top + GAP, scale)
        parts += drawn
    exceeding = sum(held.exceeding for held in (one.output, one.lse) if held is not None)
    description = (
        f"{verdict} {counted(exceeding, 'element')} exceed their bounds; the largest error is"
        f" {one.largest_ratio:.3g} of its bound. {' '.join(one.places)}"
    )
    return svg.document(top + 20, TITLE, description.strip(), parts)
