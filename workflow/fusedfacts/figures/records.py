"""How often a running maximum rises, against the record law."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fusedfacts.figures import svg, words
from fusedfacts.figures.chart import Linear, Panel, between, lengths, round_step
from fusedfacts.terminal import counted

TITLE = "How often a running maximum is set anew"
LEFT, RIGHT = 44, 118
PANEL = 250
STEPS = 120
LEAST_SPAN = 0.5  # maxima that the axis spans at least
BANDS = (2, 1)  # standard errors; the wider is drawn first


def law(wanted: list[int]) -> dict[int, tuple[float, float]]:
    """Compute for each length n the mean H_n and variance H_n - sum 1/i^2 of the number of records.

    >>> law([1, 2])
    {1: (1.0, 0.0), 2: (1.5, 0.25)}
    """
    i = np.arange(1, max(wanted) + 1)
    means, squares = np.cumsum(1 / i).tolist(), np.cumsum(1 / (i * i)).tolist()
    return {n: (means[n - 1], max(means[n - 1] - squares[n - 1], 0.0)) for n in wanted}


def _description(seen: list[dict[str, Any]], expected: dict[int, tuple[float, float]]) -> str:
    sentences, distances = [], [0.0]
    for entry in seen:
        n, found, (mean, variance) = entry["n"], entry["mean_records"], expected[entry["n"]]
        if variance:
            distances.append(abs(found - mean) / math.sqrt(variance / entry["rows"]))
        number = entry["harmonic_number"]
        sentences.append(f"For {counted(n, 'score')} {found:g}, by the law {number:g}.")
    return (
        "Mean number of maxima set in a row of random scores, over the row's length."
        f" {' '.join(sentences)} The farthest mean lies {max(distances):.1f} standard errors from"
        " the law."
    )


def draw(facts: dict[str, Any]) -> str:
    """Draw mean records of random rows over their length, with the law and its errors."""
    seen = sorted(facts["online_softmax"]["record_law"], key=lambda entry: int(entry["n"]))
    rows, last = seen[-1]["rows"], seen[-1]
    x = lengths([entry["n"] for entry in seen], words.whole)
    grid = between(max(x.low, 1), last["n"], STEPS)
    expected = law([*grid, *(entry["n"] for entry in seen)])

    def edge(n: int, errors: float) -> float:
        mean, variance = expected[n]
        return mean + errors * math.sqrt(variance / rows)

    values = [entry["mean_records"] for entry in seen]
    values += [edge(n, side * max(BANDS)) for n in grid for side in (-1, 1)]
    # Rows of a single length may all agree with the law, as rows of one score must.
    low, high = min(values), max(values)
    low, high = (low, high) if high - low > LEAST_SPAN else (low - LEAST_SPAN, high + LEAST_SPAN)
    step = round_step(high - low)
    y = Linear(step * math.floor(low / step), step * math.ceil(high / step), "{:g}".format)
    about = (
        f"Means of {words.whole(rows)} rows of random scores, the first score counted. The law for"
        " random order is the sum of the reciprocals up to n; around it stand"
        f" {words.listed([str(errors) for errors in sorted(BANDS)])} standard errors."
    )
    parts, top = svg.heading(TITLE, about)
    panel = Panel(LEFT, top + 44, svg.WIDTH - RIGHT, top + 44 + PANEL, x, y)
    parts += panel.frame("", "scores n in a row", "maxima set in a row")
    for errors in BANDS:
        there = [(n, edge(n, errors)) for n in grid]
        back = [(n, edge(n, -errors)) for n in reversed(grid)]
        parts.append(panel.line([*there, *back], "band"))
    parts.append(panel.line([(n, expected[n][0]) for n in grid], "frame"))
    for entry in seen:
        parts.append(svg.marker(*panel.at(entry["n"], entry["mean_records"]), 0))
    ends = [
        (last["harmonic_number"], f"law {last['harmonic_number']:g}"),
        (last["mean_records"], f"seen {last['mean_records']:g}"),
    ]
    parts += panel.ends(last["n"], ends)
    return svg.document(panel.bottom + 48, TITLE, _description(seen, expected), parts)
