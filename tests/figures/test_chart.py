"""Axes with a place for 0, linear axes, and words at lines' ends."""

from itertools import pairwise

import pytest
from fusedfacts.figures.chart import Axis, Linear, spread


def test_an_axis_is_logarithmic_or_linear():
    axis = Axis(1, 100, 10, str)
    assert [axis.place(value) for value in (1, 10, 100)] == pytest.approx([0, 0.5, 1])
    assert axis.ticks() == [1, 10, 100]
    assert [Linear(-2, 2, str).place(value) for value in (-2, -1, 0, 2)] == [0, 0.25, 0.5, 1]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-20, 20), (0.5, 1.5)])
def test_ticks_of_a_linear_axis_are_few_and_evenly_apart(low, high):
    ticks = Linear(low, high, str).ticks()
    assert 2 <= len(ticks) <= 6
    assert low <= min(ticks) <= max(ticks) <= high
    steps = {round(b - a, 9) for a, b in pairwise(ticks)}
    assert len(steps) == 1
    assert f"{steps.pop():e}"[0] in "125"


def test_spread_places_keep_their_order_and_their_gap():
    wanted = [30.0, 29.0, 80.0, 30.5, 100.0]
    places = spread(wanted, 15, most=90)
    order = sorted(range(5), key=lambda i: wanted[i])
    assert order == sorted(range(5), key=lambda i: places[i])
    ranked = sorted(places)
    assert all(b - a >= 15 - 1e-9 for a, b in pairwise(ranked))
    assert max(places) <= 90
