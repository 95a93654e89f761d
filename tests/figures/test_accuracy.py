"""Accuracy: errors and bounds at the places that the axes say."""

import pytest
from fusedfacts.figures import accuracy, chart
from support import drawn


@pytest.mark.parametrize("variant", ["published", "passing", "one word"])
def test_errors_and_bounds_stand_at_their_places(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    sizes = facts["traffic"]
    root = drawn.parsed(accuracy.draw(facts))
    x = chart.lengths([size["n"] for size in sizes], str)
    keys = ("largest_error", "bound_there")
    values = [size[way][key] for size in sizes for way in accuracy.METHODS for key in keys]
    y = chart.spanning(values, 10, str)
    panels = [drawn.corners(path) for path in drawn.having(root, "path", "axis")]
    dims = sorted({size["d"] for size in sizes}, reverse=True)
    for number, way in enumerate(accuracy.METHODS):
        errors = [
            drawn.centre(e)
            for e in root.iter()
            if e.get("class") == f"m{number}" and e.tag != "rect"
        ]
        bounds = [
            (left + w / 2, top + h / 2) for left, top, w, h in drawn.boxes(root, f"m{number}")
        ]
        assert len(errors) == len(bounds) == len(sizes)
        for size in sizes:
            (left, top), (_, bottom), (right, _) = panels[dims.index(size["d"])]
            for key, places in zip(keys, (errors, bounds), strict=True):
                wanted = (
                    left + (right - left) * x.place(size["n"]),
                    bottom - (bottom - top) * y.place(size[way][key]),
                )
                assert any(place == pytest.approx(wanted, abs=0.16) for place in places)


def test_an_error_of_zero_stands_on_the_edge_labelled_zero(facts):
    root = drawn.parsed(accuracy.draw(drawn.VARIANTS["one word"](facts)))
    assert drawn.words(root, "scale").count("0") == 2


def test_what_the_check_sees_is_said_only_where_it_sees(facts):
    assert "1,024" in accuracy.sight(facts)
    assert accuracy.sight(drawn.VARIANTS["calm"](facts)) == ""
    assert "4,096" in accuracy.sight(drawn.VARIANTS["one word"](facts))
