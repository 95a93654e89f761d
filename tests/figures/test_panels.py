"""Traffic and accuracy: lines are the formulas, marks the facts, at the places of the axes."""

import pytest
from fusedfacts.attention import traffic as counts
from fusedfacts.figures import accuracy, chart, traffic
from support import drawn


def places(facts, root, y):
    """Pixels of (n, value) in the panel of d."""
    x = chart.lengths([size["n"] for size in facts["traffic"]], str)
    dims = sorted({size["d"] for size in facts["traffic"]}, reverse=True)
    panels = dict(zip(dims, drawn.having(root, "path", "axis"), strict=True))

    def at(d, n, value):
        (left, top), (_, bottom), (right, _) = drawn.corners(panels[d])
        across, up = (right - left) * x.place(n), (bottom - top) * y.place(value)
        return pytest.approx((left + across, bottom - up), abs=0.16)

    return at


def bytes_axis(facts):
    sizes = facts["traffic"]
    moved = [size["unfused"]["bytes"] for size in sizes]
    return chart.spanning([*moved, *(size["compulsory_bytes"] for size in sizes)], 8, str)


@pytest.mark.parametrize("variant", ["published", "few", "long", "one word"])
def test_every_count_stands_at_its_place(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    root = drawn.parsed(traffic.draw(facts))
    at = places(facts, root, bytes_axis(facts))
    for number, method in enumerate(traffic.METHODS):
        marks = [drawn.centre(e) for e in root.iter() if e.get("class") == f"m{number}"]
        assert len(marks) == len(facts["traffic"])
        for size in facts["traffic"]:
            assert at(size["d"], size["n"], size[method]["bytes"]) in marks


def test_lines_are_the_closed_formulas(facts):
    root = drawn.parsed(traffic.draw(facts))
    at = places(facts, root, bytes_axis(facts))
    for number, method in enumerate((counts.unfused, counts.fused)):
        for line, d in zip(drawn.having(root, "path", f"s{number}"), (64, 16), strict=True):
            for n in (64, 128, 512, 4096):
                assert at(d, n, counts.total_bytes(method(n, d))) in drawn.corners(line)


def test_ends_are_labelled_with_the_facts(facts):
    root = drawn.parsed(traffic.draw(facts))
    for text in ("unfused 272.5 MiB", "fused 16.5 MiB", "unfused 514 MiB", "fused 258 MiB"):
        assert drawn.place(root, text)


@pytest.mark.parametrize("variant", ["published", "passing", "one word"])
def test_errors_and_bounds_stand_at_their_places(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    keys = ("largest_error", "bound_there")
    methods = accuracy.METHODS
    values = [size[method][key] for size in facts["traffic"] for method in methods for key in keys]
    root = drawn.parsed(accuracy.draw(facts))
    at = places(facts, root, chart.spanning(values, 10, str))
    for number, method in enumerate(methods):
        shapes = [e for e in root.iter() if e.get("class") == f"m{number}"]
        errors = [drawn.centre(e) for e in shapes if e.tag != "rect"]
        bounds = [drawn.centre(e) for e in shapes if e.tag == "rect"]
        assert len(errors) == len(bounds) == len(facts["traffic"])
        for size in facts["traffic"]:
            error, bound = (at(size["d"], size["n"], size[method][key]) for key in keys)
            assert error in errors
            assert bound in bounds


def test_an_error_of_zero_stands_on_the_edge_labelled_zero(facts):
    root = drawn.parsed(accuracy.draw(drawn.VARIANTS["one word"](facts)))
    assert drawn.words(root, "scale").count("0") == 2


def test_a_picture_says_what_the_check_sees_only_where_it_sees(facts):
    assert "1,024" in accuracy.sight(facts)
    assert accuracy.sight(drawn.VARIANTS["calm"](facts)) == ""
