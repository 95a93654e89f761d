"""Which input sees which planted fault, and how far beyond its bound the answer then is."""

from __future__ import annotations

import math
from typing import Any

from fusedfacts.figures import svg, words

TITLE = "Which input sees which fault"
LEFT, RIGHT = 172, 58  # room for the faults' names, and for what the last input's name overhangs
ROW = 25
SLANT = -58  # degrees: steep enough for narrow columns, slanted enough to read
LOST = {"seen": True, "finite": False, "largest_ratio": None}
QUIET, EQUAL = ({"seen": False, "bit_equal_to_right_answer": equal} for equal in (False, True))
EXAMPLES: tuple[tuple[dict[str, Any], str], ...] = (
    (LOST, "seen: the answer is no longer a number"),
    (QUIET, "not seen: other bits, within the bound"),
    (EQUAL, "cannot be seen: every bit is right"),
)
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
    return svg.ring(x, y, 4.5, "unseen o1")


def _key(top: float, largest: float) -> list[str]:
    """Explain the marks."""
    power = math.floor(math.log10(max(largest, 1)) + 1e-9)
    samples = [10.0**exponent for exponent in sorted({0, power // 2, power})]
    times = words.listed([words.power(ratio) for ratio in samples])
    parts = [
        mark(24 + 22 * i, top - 4, {"seen": True, "finite": True, "largest_ratio": ratio}, largest)
        for i, ratio in enumerate(samples)
    ]
    text = f"seen: error {times} times its bound"
    parts.append(svg.label(24 + 22 * len(samples), top, text, "ink tick"))
    for i, (cell, text) in enumerate(EXAMPLES, 1):
        parts.append(mark(24, top + 22 * i - 4, cell, largest))
        parts.append(svg.label(46, top + 22 * i, text, "ink tick"))
    return parts


def draw(facts: dict[str, Any]) -> str:
    """Draw the matrix of faults by inputs."""
    matrix, mutants = facts["mutants"]["matrix"], facts["mutants"]["mutants"]
    faults, inputs = sorted(matrix), sorted(facts["mutants"]["inputs"])
    cells = [cell for of_fault in matrix.values() for cell in of_fault.values()]
    seen = [cell for cell in cells if cell["seen"]]
    largest = max((cell["largest_ratio"] or 0 for cell in seen), default=0)
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
    columns = [(LEFT + (c + 0.5) * column, name) for c, name in enumerate(inputs)]
    for x, name in columns:
        parts.append(svg.label(x + 4, top - 8, words.plain(name), "ink tick", turn=SLANT))
    sentences = []
    for r, fault in enumerate(faults):
        y = top + (r + 0.5) * ROW
        parts.append(svg.path([(16, y + ROW / 2), (svg.WIDTH - RIGHT, y + ROW / 2)], "grid"))
        parts.append(svg.label(LEFT - 8, y + 4, words.plain(fault), "ink tick", "end"))
        for x, name in columns:
            if name == mutants[fault]["must_be_seen_by"]:
                left, height = x - column / 2 + 0.5, y - ROW / 2 + 1
                parts.append(svg.box(left, height, column - 1, ROW - 2, "frame"))
            parts.append(mark(x, y, matrix[fault][name], largest))
        seers = words.listed([words.plain(name) for name in inputs if matrix[fault][name]["seen"]])
        sentences.append(f"{words.plain(fault).capitalize()} is seen by {seers}.")
    description = (
        f"{len(faults)} faults on {len(inputs)} inputs: {len(seen)} of {len(cells)} pairs are seen,"
        f" and every fault on the input that must see it. {' '.join(sentences)}"
    )
    return svg.document(top + len(faults) * ROW + 16, TITLE, description, parts)
