"""Which input sees which planted fault, and how far beyond its bound the answer then is."""

from __future__ import annotations

import math
from typing import Any

from fusedfacts.figures import svg, words

TITLE = "Which input sees which fault"
LEFT, RIGHT = 172, 58  # room for the faults' names, and for what the last input's name overhangs
ROW = 25
SLANT = -58  # degrees: steep enough for narrow columns, slanted enough to read
LEAST, MOST = 3.0, 9.0  # half sizes of the square of a ratio of 1 and of the largest


def half_size(ratio: float, largest: float) -> float:
    """Compute half the size of a fault's square: it grows with the ratio's logarithm.

    >>> half_size(1, 100), half_size(10, 100), half_size(100, 100)
    (3.0, 6.0, 9.0)
    """
    if ratio <= 1 or largest <= 1:
        return LEAST
    return round(LEAST + (MOST - LEAST) * math.log(ratio) / math.log(largest), 6)


def mark(x: float, y: float, cell: dict[str, Any], largest: float) -> str:
    """Draw a cell: a square by size (crossed: the answer is no number), a ring, or a dash."""
    if cell["seen"]:
        half = half_size(cell["largest_ratio"] or largest, largest)
        if cell["finite"]:
            square = svg.box(x - half, y - half, 2 * half, 2 * half, "m0")
        else:
            square = svg.crossed(x, y, half, half - 3)
        return f'<g class="seen">{square}</g>'
    if cell["bit_equal_to_right_answer"]:
        return f'<g class="equal">{svg.path([(x - 3, y), (x + 3, y)], "axis")}</g>'
    return f'<circle class="unseen o1" cx="{svg.number(x)}" cy="{svg.number(y)}" r="4.5"/>'


def _key(top: float, largest: float) -> list[str]:
    """Explain the marks."""
    power = math.floor(math.log10(max(largest, 1)) + 1e-9)
    cells: dict[str, dict[str, Any]] = {
        "seen": {"seen": True, "finite": True},
        "quiet": {"seen": False, "bit_equal_to_right_answer": False},
        "equal": {"seen": False, "bit_equal_to_right_answer": True},
        "lost": {"seen": True, "finite": False, "largest_ratio": None},
    }
    parts = []
    samples = sorted({0, power // 2, power})
    for i, exponent in enumerate(samples):
        parts.append(
            mark(24 + 22 * i, top - 4, {**cells["seen"], "largest_ratio": 10.0**exponent}, largest)
        )
    times = words.listed([words.power(10.0**exponent) for exponent in samples])
    parts.append(
        svg.label(24 + 22 * len(samples), top, f"seen: error {times} times its bound", "ink tick")
    )
    rows = (
        ("lost", "seen: the answer is no longer a number"),
        ("quiet", "not seen: other bits, within the bound"),
        ("equal", "cannot be seen: every bit is right"),
    )
    for i, (name, text) in enumerate(rows, 1):
        parts.append(mark(24, top + 22 * i - 4, cells[name], largest))
        parts.append(svg.label(46, top + 22 * i, text, "ink tick"))
    return parts


def _seers(of_fault: dict[str, Any], inputs: list[str]) -> str:
    """Name the inputs that see a fault."""
    return words.listed([words.plain(name) for name in inputs if of_fault[name]["seen"]])


def draw(facts: dict[str, Any]) -> str:
    """Draw the matrix of faults by inputs."""
    matrix, mutants = facts["mutants"]["matrix"], facts["mutants"]["mutants"]
    faults, inputs = sorted(matrix), sorted(facts["mutants"]["inputs"])
    ratios = [
        cell["largest_ratio"] or 0
        for of_fault in matrix.values()
        for cell in of_fault.values()
        if cell["seen"]
    ]
    largest = max(ratios, default=0)
    about = (
        "Each row is a step done wrong on purpose. A frame marks the input that must see it, and"
        " does."
    )
    parts, top = svg.heading(TITLE, about)
    parts += _key(top + 28, largest)
    longest = max(len(words.plain(name)) for name in inputs)
    names = svg.breadth("m" * longest, svg.SMALL) * math.sin(math.radians(-SLANT))
    top += 28 + 66 + 18 + math.ceil(names)
    column = (svg.WIDTH - LEFT - RIGHT) / len(inputs)
    for c, name in enumerate(inputs):
        x = LEFT + (c + 0.5) * column
        parts.append(svg.label(x + 4, top - 8, words.plain(name), "ink tick", turn=SLANT))
    for r, fault in enumerate(faults):
        y = top + (r + 0.5) * ROW
        parts.append(svg.path([(16, y + ROW / 2), (svg.WIDTH - RIGHT, y + ROW / 2)], "grid"))
        parts.append(svg.label(LEFT - 8, y + 4, words.plain(fault), "ink tick", "end"))
        for c, name in enumerate(inputs):
            x = LEFT + (c + 0.5) * column
            if name == mutants[fault]["must_be_seen_by"]:
                parts.append(
                    svg.box(x - column / 2 + 0.5, y - ROW / 2 + 1, column - 1, ROW - 2, "frame")
                )
            parts.append(mark(x, y, matrix[fault][name], largest))
    bottom = top + len(faults) * ROW
    seen = sum(cell["seen"] for of_fault in matrix.values() for cell in of_fault.values())
    cells = sum(len(of_fault) for of_fault in matrix.values())
    description = (
        f"{len(faults)} faults on {len(inputs)} inputs: {seen} of {cells} pairs are seen, and every"
        " fault on the input that must see it. "
        + " ".join(
            f"{words.plain(fault).capitalize()} is seen by {_seers(matrix[fault], inputs)}."
            for fault in faults
        )
    )
    return svg.document(bottom + 16, TITLE, description, parts)
