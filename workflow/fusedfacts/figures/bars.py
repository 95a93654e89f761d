"""Stacked bars by buffer, to scale: what each method loads and stores at the longest length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fusedfacts.attention import traffic
from fusedfacts.figures import svg, words
from fusedfacts.terminal import counted

TITLE = "Where the bytes go"
LEFT, RIGHT = 86, 16
BAR = 34  # pixels
WIDE = 46  # a segment narrower than this cannot hold its own words
KEY_ROOM, HEAD_ROOM, GROUP = 34, 64, 204  # pixels for the key, above the bars, for one d


# Bytes by buffer and what happens to it: "written" or "read".
Crossings = dict[tuple[str, str], int]
# Written is solid, read is hatched; the slant tells K from V, colour the table from the rest.
SERIES = {"k": 1, "v": 1, "q": 3, "o": 3, "s": 0, "p": 2}
SLANTS = {"k": 45, "v": -45, "q": 0, "s": 45, "p": -45}


def crossings(n: int, d: int) -> tuple[Crossings, Crossings]:
    """Compute what both methods move, and the table's crossings that only unfused makes, in bytes.

    >>> both, table = crossings(4096, 64)
    >>> sum(both.values()) / 2**20, [size // 2**20 for size in table.values()]
    (258.0, [64, 64, 64, 64])
    """
    moved: Counter[tuple[str, str]] = Counter()
    for buffers in traffic.unfused(n, d).values():
        for buffer, access in buffers.items():
            moved[buffer, "written"] += traffic.BYTES_PER_FLOAT * access["stores"]
            moved[buffer, "read"] += traffic.BYTES_PER_FLOAT * access["loads"]
    both, table = (
        {(b, c): moved[b, c] for b in buffers for c in ("written", "read") if moved[b, c]}
        for buffers in ("kvqo", "sp")
    )
    return both, table


def _segments(parts: Crossings, left: float, top: float, scale: float) -> list[str]:
    """Draw crossings one after another, with a gap of paper between them where there is room."""
    shapes = []
    for (buffer, crossing), size in parts.items():
        width = size * scale
        solid = crossing == "written"
        looks = (f"m{SERIES[buffer]}", "") if solid else ("hatched", f"bars-{buffer}")
        shapes.append(svg.box(left, top, width, BAR, *looks))
        if width > WIDE / 4:
            shapes.append(svg.path([(left, top), (left, top + BAR)], "gap"))
        left += width
    return shapes


def _lines(x: float, y: float, lines: Sequence[str], anchor: str = "start") -> list[str]:
    """Write lines below each other, the last of them faint."""
    kinds = ["ink tick"] * (len(lines) - 1) + ["faint tick"]
    return [
        svg.label(x, y + 15 * i, line, kind, anchor)
        for i, (line, kind) in enumerate(zip(lines, kinds, strict=True))
    ]


def _shared_words(both: Crossings, top: float, scale: float) -> list[str]:
    """Write below the bars K, V, Q and O, each at its place or together where they are narrow."""
    shapes, narrow, left = [], {}, float(LEFT)
    for (buffer, crossing), size in both.items():
        if size * scale < WIDE:
            narrow[buffer.upper()] = size
            continue
        lines = (f"{buffer.upper()} {crossing}", words.amount(size))
        shapes += _lines(left + size * scale / 2, top, lines, "middle")
        left += size * scale
    if narrow:
        together = words.amount(sum(narrow.values()))
        shapes += _lines(left, top, (words.listed(list(narrow)), together))
    return shapes


def _table_words(table: Crossings, left: float, top: float, scale: float) -> list[str]:
    """Write above the bar the table's crossings, each at its place or together at the bar's end."""
    size = next(iter(table.values()))
    width, each = size * scale, words.amount(size)
    if width < WIDE:
        names = words.listed([f"{buffer.upper()} {crossing}" for buffer, crossing in table])
        # The words start where the table does, or end where it ends.
        fits = left + svg.breadth(names, svg.SMALL) <= svg.WIDTH - RIGHT
        at, anchor = (left, "start") if fits else (left + width * len(table), "end")
        return _lines(at, top - 20, (names, f"{each} each"), anchor)
    shapes = []
    for i, (buffer, crossing) in enumerate(table):
        lines = (buffer.upper(), crossing, each)
        shapes += _lines(left + width * (i + 0.5), top - 35, lines, "middle")
    return shapes


def _group(n: int, d: int, top: float, scale: float) -> list[str]:
    both, table = crossings(n, d)
    shared = sum(both.values())
    end = LEFT + shared * scale
    first, second = top + HEAD_ROOM, top + HEAD_ROOM + BAR + 14
    parts = [svg.label(16, top + 8, f"{d} numbers a head", "ink title")]
    for bar, name, size in (
        (first, "unfused", shared + sum(table.values())),
        (second, "fused", shared),
    ):
        parts.append(svg.label(LEFT - 8, bar + 14, name, "ink tick", "end"))
        parts.append(svg.label(LEFT - 8, bar + 30, words.amount(size), "ink tick strong", "end"))
        parts += _segments(both, LEFT, bar, scale)
    parts += _segments(table, end, first, scale)
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
        f"A head on {counted(n, 'word')}, to scale. Left of the dashed line stands what both"
        " methods move; right of it the table, scores S and shares P, that only unfused moves."
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
    sentences = [
        f"With {d} numbers a head unfused moves {words.amount(unfused)}, of which the table"
        f" {words.amount(unfused - fused)}, and fused {words.amount(fused)}."
        for d, (unfused, fused) in totals.items()
    ]
    description = f"Bars of bytes by buffer for {counted(n, 'word')}. " + " ".join(sentences)
    return svg.document(top + KEY_ROOM + 24 + len(dims) * GROUP, TITLE, description, parts)
