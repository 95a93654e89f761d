"""The lesson's pictures in their order; what stands beneath them is templates/pictures.txt.j2."""

from __future__ import annotations

from types import ModuleType

from fusedfacts.figures import (
    accuracy,
    bars,
    control,
    faults,
    real,
    records,
    rules,
    scores,
    traffic,
)

# Each module has its picture's TITLE, and `draw`, which turns the facts into SVG text.
GALLERY: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module
    for module in (traffic, bars, accuracy, control, faults, scores, records, real, rules)
}
