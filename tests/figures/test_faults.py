"""The matrix of faults: a mark a cell, its size the ratio."""

import math

import pytest
from fusedfacts.figures import faults
from support import drawn


def cells(facts):
    return [cell for row in facts["mutants"]["matrix"].values() for cell in row.values()]


def test_every_cell_has_the_mark_of_its_verdict(facts):
    root = drawn.parsed(faults.draw(facts))
    seen = sum(cell["seen"] for cell in cells(facts))
    equal = sum(cell["bit_equal_to_right_answer"] for cell in cells(facts))
    unseen = len(cells(facts)) - seen - equal
    # The key shows three sizes and a crossed square, a ring and a dash.
    assert len(drawn.having(root, "g", "seen")) == seen + 4
    assert len(drawn.having(root, "g", "equal")) == equal + 1
    assert len(drawn.having(root, "circle", "unseen")) == unseen + 1
    crossed = [g for g in drawn.having(root, "g", "seen") if g.find("path") is not None]
    assert len(crossed) == sum(not cell["finite"] for cell in cells(facts)) + 1


def test_a_square_grows_with_the_logarithm_of_its_ratio(facts):
    root = drawn.parsed(faults.draw(facts))
    ratios = sorted(c["largest_ratio"] for c in cells(facts) if c["seen"] and c["finite"])
    found = sorted(
        group.find("rect").get("width")
        for group in drawn.having(root, "g", "seen")
        if group.find("path") is None
    )
    for ratio in ratios:
        share = math.log10(ratio) / math.log10(ratios[-1])
        size = 2 * (faults.LEAST + (faults.MOST - faults.LEAST) * share)
        assert any(float(width) == pytest.approx(size, abs=0.06) for width in found)


def test_every_fault_and_every_input_is_named(facts):
    text = drawn.words(drawn.parsed(faults.draw(facts)))
    for name in (*facts["mutants"]["mutants"], *facts["mutants"]["inputs"]):
        assert name.replace("_", " ") in text


def test_frames_stand_where_a_fault_must_be_seen(facts):
    root = drawn.parsed(faults.draw(facts))
    frames = drawn.boxes(root, "frame")
    assert len(frames) == len(facts["mutants"]["mutants"])
    squares = [drawn.boxes(group, "m0")[0] for group in drawn.having(root, "g", "seen")]
    for left, top, width, height in frames:
        inside = [
            s
            for s in squares
            if left < s[0] + s[2] / 2 < left + width and top < s[1] + s[3] / 2 < top + height
        ]
        assert len(inside) == 1
