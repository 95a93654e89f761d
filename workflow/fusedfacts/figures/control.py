"""The broken control, word by word: which answers are wrong where the total is not rescaled."""

from __future__ import annotations

from typing import Any

from fusedfacts.figures import svg, words
from fusedfacts.terminal import counted

TITLE = "A step forgotten: the total is not shrunk"
ROW = 18  # pixels of a word
LEFT, RIGHT = 104, 104  # room for the words, and for the tiles' names
HALF = 5.5  # half the size of the mark of a wrong answer
RIGHT_ANSWER, WRONG, PASSING = range(3)
NAMES = (
    "right: the largest score lies in the first tile",
    "wrong: the checker saw it",
    "right, although a larger score came later",
)


def outcomes(head: dict[str, Any]) -> list[int]:
    """Judge each row: which of the three it is.

    >>> outcomes({"row_is_wrong": [False, True], "row_has_late_maximum": [True, True]})
    [2, 1]
    """
    return [
        WRONG if wrong else PASSING if late else RIGHT_ANSWER
        for wrong, late in zip(head["row_is_wrong"], head["row_has_late_maximum"], strict=True)
    ]


def mark(x: float, y: float, outcome: int) -> str:
    """Draw a small ring, a filled square with a cross, a filled diamond."""
    if outcome == RIGHT_ANSWER:
        return svg.ring(x, y, 3, "right o1")
    if outcome == PASSING:
        return svg.marker(x, y, 3, HALF)
    return f'<g class="wrong">{svg.crossed(x, y, HALF, HALF - 2.5)}</g>'


def _tiles(rows: int, key_rows: int, top: float) -> list[str]:
    """Draw the edges between key tiles, and each tile's number beside its rows."""
    parts = []
    for tile, first in enumerate(range(0, rows, key_rows)):
        start, end = top + first * ROW, top + min(first + key_rows, rows) * ROW
        if tile:
            parts.append(svg.path([(16, start), (svg.WIDTH - 16, start)], "edge"))
        middle = (start + end) / 2 + 4
        parts.append(svg.label(svg.WIDTH - 16, middle, f"key tile {tile + 1}", "faint tick", "end"))
    return parts


def draw(facts: dict[str, Any]) -> str:
    """Draw a grid of the probe's words by heads."""
    control, heads = facts["control"], facts["control"]["heads"]
    sentence = facts["model"]["probe"]["sentence"].split()
    about = (
        "The model's own sentence, read downwards; each word's answer looks back over key tiles of"
        f" {counted(control['key_rows'], 'word')}."
    )
    parts, top = svg.heading(TITLE, about)
    of_each = [outcomes(head) for head in heads]
    for outcome, name in enumerate(NAMES):
        y = top + 24 + outcome * 19
        total = sum(head.count(outcome) for head in of_each)
        parts.append(mark(24, y - 4, outcome))
        parts.append(svg.label(40, y, f"{words.whole(total)} {name}", "ink tick"))
    top += 24 + len(NAMES) * 19 + 34
    column = (svg.WIDTH - LEFT - RIGHT) / len(heads)
    for row, word in enumerate(sentence):
        parts.append(svg.label(LEFT - 12, top + (row + 0.5) * ROW + 4, word, "ink tick", "end"))
    parts += _tiles(len(sentence), control["key_rows"], top)
    bottom = top + len(sentence) * ROW
    for h, (head, found) in enumerate(zip(heads, of_each, strict=True)):
        x = LEFT + (h + 0.5) * column
        parts.append(svg.label(x, top - 10, f"head {h}", "ink tick", "middle"))
        parts += [mark(x, top + (row + 0.5) * ROW, outcome) for row, outcome in enumerate(found)]
        parts.append(svg.label(x, bottom + 20, f"{head['rows_wrong']}", "ink strong", "middle"))
        parts.append(svg.label(x, bottom + 36, f"of {head['rows']}", "faint tick", "middle"))
    parts.append(svg.label(LEFT - 12, bottom + 20, "wrong", "ink tick", "end"))
    description = "With the running total not rescaled, on the probe sentence: " + "; ".join(
        f"head {h}, {head['rows_wrong']} of {head['rows']} answers wrong"
        for h, head in enumerate(heads)
    )
    passing = sum(head["rows_late_maximum_but_passing"] for head in heads)
    description += f". Answers that pass although a larger score came later: {passing}."
    return svg.document(bottom + 52, TITLE, description, parts)
