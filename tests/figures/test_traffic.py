"""Traffic: lines are the formulas, marks the facts, at the places that the axes say."""

import pytest
from fusedfacts.attention import traffic as counts
from fusedfacts.figures import chart, traffic
from support import drawn


def axes(facts):
    sizes = facts["traffic"]
    x = chart.lengths([size["n"] for size in sizes], str)
    least = min(size["compulsory_bytes"] for size in sizes)
    y = chart.spanning([least, *(size["unfused"]["bytes"] for size in sizes)], 8, str)
    return x, y


def scaled(facts, d, root):
    """Pixels of (n, bytes) in the panel of d, from the places of its tick labels alone."""
    dims = sorted({size["d"] for size in facts["traffic"]}, reverse=True)
    x, y = axes(facts)
    vertical = drawn.having(root, "path", "axis")[dims.index(d)]
    (left, top), (_, bottom), (right, _) = drawn.corners(vertical)
    return lambda n, size: (
        left + (right - left) * x.place(n),
        bottom - (bottom - top) * y.place(size),
    )


@pytest.mark.parametrize("variant", ["published", "few", "long", "one word"])
def test_every_count_stands_at_its_place(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    root = drawn.parsed(traffic.draw(facts))
    marks = {
        way: [drawn.centre(e) for e in root.iter() if e.get("class") == f"m{number}"]
        for number, way in enumerate(traffic.METHODS)
    }
    for way, places in marks.items():
        assert len(places) == len(facts["traffic"])
        for size in facts["traffic"]:
            wanted = scaled(facts, size["d"], root)(size["n"], size[way]["bytes"])
            assert any(place == pytest.approx(wanted, abs=0.11) for place in places)


def test_lines_are_the_closed_formulas(facts):
    root = drawn.parsed(traffic.draw(facts))
    for way, of in enumerate((counts.unfused, counts.fused)):
        for line, d in zip(drawn.having(root, "path", f"s{way}"), (64, 16), strict=True):
            at, points = scaled(facts, d, root), drawn.corners(line)
            for n in (64, 128, 512, 4096):
                wanted = at(n, counts.total_bytes(of(n, d)))
                assert any(point == pytest.approx(wanted, abs=0.11) for point in points)


def test_ends_are_labelled_with_the_facts(facts):
    root = drawn.parsed(traffic.draw(facts))
    for text in ("unfused 272.5 MiB", "fused 16.5 MiB", "unfused 514 MiB", "fused 258 MiB"):
        assert drawn.place(root, text)
