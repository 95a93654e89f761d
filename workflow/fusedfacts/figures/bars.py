"""Stacked bars by buffer, to scale: what each way loads and stores at the longest length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fusedfacts.attention import traffic
from fusedfacts.figures import svg, words

TITLE = "Where the bytes go"
LEFT, RIGHT = 86, 16
BAR = 34  # pixels
WIDE = 46  # a segment narrower than this cannot hold its own words
KEY_ROOM, HEAD_ROOM, GROUP = 34, 64, 204  # pixels for the key, above the bars, for one d


@dataclass(frozen=True)
class Segment:
    """One buffer's loads or stores."""

    buffer: str
    stored: bool
    size: int

    @property
    def crossing(self) -> str:
        """Say what happens to the buffer."""
        return "written" if self.stored else "read"


def segments(n: int, d: int) -> tuple[list[Segment], list[Segment]]:
    """Compute what both methods move, and the table's crossings that only unfused makes, in bytes.

    >>> both, table = segments(4096, 64)
    >>> sum(part.size for part in both) / 2**20, [part.size // 2**20 for part in table]
    (258.0, [64, 64, 64, 64])
    """
    moved: Counter[tuple[str, bool]] = Counter()
    for buffers in traffic.unfused(n, d).values():
        for buffer, access in buffers.items():
            moved[buffer, True] += traffic.BYTES_PER_FLOAT * access["stores"]
            moved[buffer, False] += traffic.BYTES_PER_FLOAT * access["loads"]
    both, table = (
        [Segment(b, s, moved[b, s]) for b in names for s in (True, False) if moved[b, s]]
        for names in ("kvqo", "sp")
    )
    return both, table


# Solid is stored, hatched is loaded; the slant tells K from V, colour the table from the rest.
SERIES = {"k": 1, "v": 1, "q": 3, "o": 3, "s": 0, "p": 2}
SLANTS = {"k": 45, "v": -45, "q": 0, "s": 45, "p": -45}


def _drawn(parts: Sequence[Segment], left: float, top: float, scale: float) -> list[str]:
    """Draw segments one after another, with a gap of paper between them where there is room."""
    shapes = []
    for part in parts:
        width = part.size * scale
        series = SERIES[part.buffer]
        fill = "" if part.stored else f"bars-{part.buffer}"
        kind = f"m{series}" if part.stored else "hatched"
        shapes.append(svg.box(left, top, width, BAR, kind, fill))
        if width > WIDE / 4:
            shapes.append(svg.path([(left, top), (left, top + BAR)], "gap"))
        left += width
    return shapes


def _shared_words(both: Sequence[Segment], top: float, scale: float) -> list[str]:
    """Write below the bars K, V, Q and O, each at its place or together where they are narrow."""
    shapes, left = [], float(LEFT)
    wide = [part for part in both if part.size * scale >= WIDE]
    for part in wide:
        middle = left + part.size * scale / 2
        name = f"{part.buffer.upper()} {part.crossing}"
        shapes.append(svg.label(middle, top, name, "ink tick", "middle"))
        shapes.append(svg.label(middle, top + 15, words.amount(part.size), "faint tick", "middle"))
        left += part.size * scale
    narrow = both[len(wide) :]
    if narrow:
        names = words.listed([part.buffer.upper() for part in narrow])
        together = words.amount(sum(part.size for part in narrow))
        shapes.append(svg.label(left, top, names, "ink tick"))
        shapes.append(svg.label(left, top + 15, together, "faint tick"))
    return shapes


def _table_words(table: Sequence[Segment], left: float, top: float, scale: float) -> list[str]:
    """Write above the bar the table's crossings, each at its place or together at the bar's end."""
    width = table[0].size * scale
    right = left + width * len(table)
    each = words.amount(table[0].size)
    if width < WIDE:
        names = words.listed([f"{part.buffer.upper()} {part.crossing}" for part in table])
        # The words start where the table does, or end where it ends.
        fits = left + svg.breadth(names, svg.SMALL) <= svg.WIDTH - RIGHT
        at, anchor = (left, "start") if fits else (right, "end")
        return [
            svg.label(at, top - 20, names, "ink tick", anchor),
            svg.label(at, top - 5, f"{each} each", "faint tick", anchor),
        ]
    shapes = []
    for i, part in enumerate(table):
        middle = left + width * (i + 0.5)
        named = (part.buffer.upper(), part.crossing)
        shapes += [
            svg.label(middle, top - 35 + 15 * line, text, "ink tick", "middle")
            for line, text in enumerate(named)
        ]
        shapes.append(svg.label(middle, top - 5, each, "faint tick", "middle"))
    return shapes


def _group(n: int, d: int, top: float, scale: float) -> list[str]:
    both, table = segments(n, d)
    shared = sum(part.size for part in both)
    end = LEFT + shared * scale
    first, second = top + HEAD_ROOM, top + HEAD_ROOM + BAR + 14
    parts = [svg.label(16, top + 8, f"{d} numbers a head", "ink title")]
    for bar, name, size in (
        (first, "unfused", shared + sum(part.size for part in table)),
        (second, "fused", shared),
    ):
        parts.append(svg.label(LEFT - 8, bar + 14, name, "ink tick", "end"))
        parts.append(svg.label(LEFT - 8, bar + 30, words.amount(size), "ink tick strong", "end"))
        parts += _drawn(both, LEFT, bar, scale)
    parts += _drawn(table, end, first, scale)
    parts.append(svg.path([(end, first), (end, second + BAR + 4)], "edge"))
    parts += _table_words(table, end, first, scale)
    return parts + _shared_words(both, second + BAR + 17, scale)


def draw(facts: dict[str, Any]) -> str:
    """Draw bars of both methods by buffer at the sweep's largest length, to one scale."""
    n = max(size["n"] for size in facts["traffic"])
    dims = sorted({size["d"] for size in facts["traffic"]}, reverse=True)
    totals = {
        d: [traffic.total_bytes(method(n, d)) for method in (traffic.unfused, traffic.fused)]
        for d in dims
    }
    scale = (svg.WIDTH - LEFT - RIGHT) / max(unfused for unfused, _ in totals.values())
    about = (
        f"A head on {words.several(n, 'word')}, to scale. Left of the dashed line stands what both"
        " ways move; right of it the table, scores S and shares P, that only unfused moves."
    )
    parts, top = svg.heading(TITLE, about)
    slants = [svg.hatching(f"bars-{b}", SERIES[b], slant) for b, slant in SLANTS.items()]
    parts.append("<defs>" + "".join(slants) + "</defs>")
    parts += [
        svg.box(16, top + 17, 18, 12, "m3"),
        svg.label(40, top + 27, "written", "ink tick"),
        svg.box(106, top + 17, 18, 12, "hatched", "bars-q"),
        svg.label(130, top + 27, "read", "ink tick"),
    ]
    for i, d in enumerate(dims):
        parts += _group(n, d, top + KEY_ROOM + 24 + i * GROUP, scale)
    said = [
        f"With {d} numbers a head unfused moves {words.amount(unfused)}, of which the table"
        f" {words.amount(unfused - fused)}, and fused {words.amount(fused)}."
        for d, (unfused, fused) in totals.items()
    ]
    description = f"Bars of bytes by buffer for {words.several(n, 'word')}. " + " ".join(said)
    return svg.document(top + KEY_ROOM + 24 + len(dims) * GROUP, TITLE, description, parts)
