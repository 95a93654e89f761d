"""Records: means at their places, the law through them, its band as wide as it should be."""

import math

import pytest
from fusedfacts.experiments.online_softmax import harmonic
from fusedfacts.figures import records
from support import drawn


def scale(root):
    """Pixels of (n, value) from the places of two tick labels on each axis."""
    ticks = drawn.having(root, "text", "scale")
    along = [t for t in ticks if t.get("text-anchor") == "middle"]
    up = [t for t in ticks if t.get("text-anchor") == "end"]
    (x0, n0), (x1, n1) = (
        (float(t.get("x")), int(t.text.replace(",", ""))) for t in (along[0], along[-1])
    )
    (y0, v0), (y1, v1) = ((float(t.get("y")) - 4, float(t.text)) for t in (up[0], up[-1]))
    return lambda n, value: (
        x0 + (x1 - x0) * math.log(n / n0) / math.log(n1 / n0),
        y0 + (y1 - y0) * (value - v0) / (v1 - v0),
    )


def test_means_and_law_stand_at_their_places(facts):
    root = drawn.parsed(records.draw(facts))
    at = scale(root)
    marks = [drawn.centre(e) for e in drawn.having(root, "circle", "m0")]
    line = drawn.corners(drawn.having(root, "path", "frame")[0])
    entries = facts["online_softmax"]["record_law"]
    assert len(marks) == len(entries)
    for mark, entry in zip(marks, entries, strict=True):
        assert mark == pytest.approx(at(entry["n"], entry["mean_records"]), abs=0.2)
        law = at(entry["n"], entry["harmonic_number"])
        assert any(point == pytest.approx(law, abs=0.2) for point in line)


def test_the_bands_are_one_and_two_standard_errors(facts):
    root = drawn.parsed(records.draw(facts))
    at = scale(root)
    last = facts["online_softmax"]["record_law"][-1]
    law = harmonic(last["n"])
    error = math.sqrt(float(law - harmonic(last["n"], 2)) / last["rows"])
    for band, errors in zip(drawn.having(root, "path", "band"), (2, 1), strict=True):
        corners = drawn.corners(band)
        right = max(x for x, _ in corners)
        heights = [y for x, y in corners if x == right]
        wanted = [at(last["n"], float(law) + side * errors * error)[1] for side in (1, -1)]
        assert [min(heights), max(heights)] == pytest.approx(wanted, abs=0.2)
