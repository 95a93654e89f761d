"""Bars: widths are bytes, to one scale."""

import pytest
from fusedfacts.attention import traffic
from fusedfacts.figures import bars, svg
from support import drawn


def rows(root):
    """Segments of each bar, in order of drawing from top to bottom."""
    shapes = drawn.boxes(root, "hatched") + [
        box for number in range(4) for box in drawn.boxes(root, f"m{number}")
    ]
    found = {}
    for left, top, width, height in shapes:
        if height == bars.BAR:
            found.setdefault(top, []).append((left, width))
    return [sorted(found[top]) for top in sorted(found)]


@pytest.mark.parametrize("variant", ["published", "passing", "one word", "few"])
def test_every_bar_is_as_wide_as_its_bytes(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    n = max(size["n"] for size in facts["traffic"])
    dims = sorted({size["d"] for size in facts["traffic"]}, reverse=True)
    totals = [
        traffic.total_bytes(of(n, d)) for d in dims for of in (traffic.unfused, traffic.fused)
    ]
    scale = (svg.WIDTH - bars.LEFT - bars.RIGHT) / max(totals)
    found = rows(drawn.parsed(bars.draw(facts)))
    assert len(found) == len(totals)
    for segments, total in zip(found, totals, strict=True):
        # Rounded to a tenth, each of eight segments.
        assert sum(width for _, width in segments) == pytest.approx(total * scale, abs=0.4)


def test_segments_of_the_film_are_the_facts_own(facts):
    """Four bars: unfused with its table's crossings, fused without."""
    size = next(s for s in facts["traffic"] if (s["n"], s["d"]) == (4096, 64))
    scale = (svg.WIDTH - bars.LEFT - bars.RIGHT) / size["unfused"]["bytes"]
    found = rows(drawn.parsed(bars.draw(facts)))
    assert [len(segments) for segments in found] == [8, 4, 8, 4]
    moved = [
        4 * moved
        for buffers in size["unfused"]["elements"].values()
        for access in buffers.values()
        for moved in access.values()
        if moved
    ]
    widths = sorted(width for _, width in found[0])
    assert widths == pytest.approx(sorted(size * scale for size in moved), abs=0.06)


def test_totals_and_crossings_are_named(facts):
    text = drawn.words(drawn.parsed(bars.draw(facts)))
    for total in ("514 MiB", "258 MiB", "272.5 MiB", "16.5 MiB"):
        assert total in text
    assert text.count("64 MiB") == 8
    assert text.count("written") == 5  # the key, and S and P of two bars
    assert text.count("read") == 5
