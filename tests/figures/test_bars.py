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


def moved(counts):
    """Bytes of each crossing: of a buffer, loaded or stored."""
    accesses = [access for buffers in counts.values() for access in buffers.values()]
    return [4 * count for access in accesses for count in access.values() if count]


@pytest.mark.parametrize("variant", ["published", "passing", "one word", "few"])
def test_every_segment_of_every_bar_is_as_wide_as_its_bytes(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    n = max(size["n"] for size in facts["traffic"])
    dims = sorted({size["d"] for size in facts["traffic"]}, reverse=True)
    bars_moved = [moved(of(n, d)) for d in dims for of in (traffic.unfused, traffic.fused)]
    scale = (svg.WIDTH - bars.LEFT - bars.RIGHT) / max(map(sum, bars_moved))
    found = rows(drawn.parsed(bars.draw(facts)))
    assert len(found) == len(bars_moved)
    for segments, crossings in zip(found, bars_moved, strict=True):
        widths = sorted(width for _, width in segments)
        assert widths == pytest.approx(sorted(scale * size for size in crossings), abs=0.06)


def test_totals_and_crossings_are_named(facts):
    text = drawn.words(drawn.parsed(bars.draw(facts)))
    for total in ("514 MiB", "258 MiB", "272.5 MiB", "16.5 MiB"):
        assert total in text
    assert text.count("64 MiB") == 8
    assert text.count("written") == 5  # the key, and S and P of two bars
    assert text.count("read") == 5
