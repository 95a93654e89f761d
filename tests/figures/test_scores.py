"""The histogram: bars as tall as their counts, cut at fp16's limit."""

import math

import pytest
from fusedfacts.figures import scores
from support import drawn


def bars(root):
    return sorted(drawn.boxes(root, "m1")), sorted(drawn.boxes(root, "infinite"))


@pytest.mark.parametrize("variant", ["published", "calm", "passing"])
def test_bars_are_as_tall_as_the_logarithm_of_their_counts(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    histogram = facts["overflow"]["histogram"]
    limit = facts["overflow"]["fp16"]["ln_rounds_to_infinity_from"]
    root = drawn.parsed(scores.draw(facts))
    _, one = drawn.place(root, "1", "end")
    _, ten = drawn.place(root, "10", "end")
    below, above = bars(root)
    # Every infinite score lies in a hatched bar; the bars of whole intervals say where.
    whole = dict(zip(histogram["edges"], histogram["counts"], strict=False))
    cut = math.floor(limit)
    finite = [count for edge, count in whole.items() if edge < cut]
    infinite = [count for edge, count in whole.items() if edge > cut]
    if cut in whole:
        beyond = facts["overflow"]["held_out"]["infinite_terms"] - sum(infinite)
        finite.append(whole[cut] - beyond)
        infinite.insert(0, beyond)
    assert sum(infinite) == facts["overflow"]["held_out"]["infinite_terms"]
    for drawn_bars, counts in ((below, finite), (above, infinite)):
        counts = [count for count in counts if count]
        assert len(drawn_bars) == len(counts)
        for (_, _, _, height), count in zip(drawn_bars, counts, strict=True):
            wanted = (one - ten) * math.log10(count / scores.FLOOR)
            assert height == pytest.approx(wanted, abs=0.35)


def test_the_limit_parts_the_bars(facts):
    root = drawn.parsed(scores.draw(facts))
    line = drawn.corners(drawn.having(root, "path", "frame")[0])[0][0]
    zero, _ = drawn.place(root, "0")
    right, _ = drawn.place(root, "10", "middle")
    limit = facts["overflow"]["fp16"]["ln_rounds_to_infinity_from"]
    assert line == pytest.approx(zero + (right - zero) * limit / 10, abs=0.2)
    below, above = bars(root)
    assert max(left + width for left, _, width, _ in below) <= line + 0.6
    assert min(left for left, *_ in above) >= line - 0.1
