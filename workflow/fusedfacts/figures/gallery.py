"""The lesson's pictures in their order; what stands beneath them is templates/pictures.txt.j2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fusedfacts.figures import accuracy, bars, control, faults, records, scores, traffic


@dataclass(frozen=True)
class Picture:
    """A picture of the facts: `draw` turns them into SVG text."""

    draw: Callable[[dict[str, Any]], str]
    title: str


GALLERY: dict[str, Picture] = {
    "traffic": Picture(traffic.draw, traffic.TITLE),
    "bars": Picture(bars.draw, bars.TITLE),
    "accuracy": Picture(accuracy.draw, accuracy.TITLE),
    "control": Picture(control.draw, control.TITLE),
    "faults": Picture(faults.draw, faults.TITLE),
    "scores": Picture(scores.draw, scores.TITLE),
    "records": Picture(records.draw, records.TITLE),
}
