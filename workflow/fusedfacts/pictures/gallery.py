"""The lesson's pictures in their order, each with its title and what to say beneath it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fusedfacts.pictures import accuracy, bars, control, faults, records, scores, traffic


@dataclass(frozen=True)
class Picture:
    """A picture of the facts.

    Attributes
    ----------
    draw : callable
        Facts to SVG text.
    title : str
        What it is about.
    caption : str
        One sentence without a number: what one sees, and how it was checked.
    """

    draw: Callable[[dict[str, Any]], str]
    title: str
    caption: str


GALLERY: dict[str, Picture] = {
    "traffic": Picture(
        traffic.draw,
        traffic.TITLE,
        "When the queries fill several tiles, the bytes of both ways grow with the square of the"
        " length, those of fused by the smaller factor; the emulator's marks lie on the lines of"
        " the closed formulas, equal to the byte in every buffer.",
    ),
    "bars": Picture(
        bars.draw,
        bars.TITLE,
        "The table's crossings are what fused saves, and fewer numbers a head leave room for more"
        " query rows, so that keys and values are fetched less often; widths are the counted bytes"
        " of each buffer, to scale.",
    ),
    "accuracy": Picture(
        accuracy.draw,
        accuracy.TITLE,
        "Every error lies far below its bound, a worst case derived in this project and checked"
        " element by element against a reference of higher precision.",
    ),
    "control": Picture(
        control.draw,
        control.TITLE,
        "With the rescaling left out on purpose the checker calls answers wrong on every head, and"
        " where the largest score lies in the first tile the answer keeps every bit.",
    ),
    "faults": Picture(
        faults.draw,
        faults.TITLE,
        "Each fault is seen by the input chosen for it and hidden from others, which is why the"
        " checks run on many inputs; each cell is a computation with the fault planted, held to the"
        " same bound.",
    ),
    "scores": Picture(
        scores.draw,
        scores.TITLE,
        "A small part of the model's own scores would overflow in half precision if the largest"
        " were not subtracted; every held-out score is counted, and the limit follows from how"
        " half precision rounds.",
    ),
    "records": Picture(
        records.draw,
        records.TITLE,
        "The running maximum rises ever more seldom as a row goes on; means over seeded random rows"
        " lie about the law for records in random order, within its standard errors.",
    ),
}
