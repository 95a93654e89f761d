"""Axes with a place for 0, linear axes, and words at lines' ends."""

from itertools import pairwise

import pytest
from fusedfacts.figures.chart import Axis, Linear, Panel, between, lengths, spanning, spread


def test_an_axis_is_logarithmic_or_linear():
    axis = Axis(1, 100, 10, str)
    assert [axis.place(value) for value in (1, 10, 100)] == pytest.approx([0, 0.5, 1])
    assert axis.ticks() == [1, 10, 100]
    assert [Linear(-2, 2, str).place(value) for value in (-2, -1, 0, 2)] == [0, 0.25, 0.5, 1]


def test_an_axis_with_many_powers_labels_only_some():
    ticks = Axis(2.0**-20, 2.0**20, 2, str).ticks()
    assert len(ticks) <= 8
    assert ticks[0] == 2.0**-20


def test_zero_stands_at_the_low_end_of_a_logarithmic_axis():
    axis = spanning([0.0, 1e-7, 1e-5], 10, str)
    assert axis.place(0.0) == 0
    assert 0 < axis.place(1e-7) < axis.place(1e-5) == pytest.approx(1)


@pytest.mark.parametrize("value", [0.0, 8])
def test_values_that_are_all_equal_still_span_an_axis(value):
    axis = spanning([value, value], 2, str)
    assert axis.place(value) == 0
    assert axis.low < axis.high


@pytest.mark.parametrize(("low", "high"), [(0, 1), (4, 10), (-20, 20), (0.5, 1.5), (0, 1234567)])
def test_ticks_of_a_linear_axis_are_few_and_evenly_apart(low, high):
    ticks = Linear(low, high, str).ticks()
    assert 2 <= len(ticks) <= 6
    assert low <= min(ticks) <= max(ticks) <= high
    steps = {round(b - a, 9) for a, b in pairwise(ticks)}
    assert len(steps) == 1
    assert f"{steps.pop():e}"[0] in "125"


@pytest.mark.parametrize("n", [1, 2, 3, 2**40])
def test_one_length_alone_has_an_axis(n):
    assert 0 <= lengths([n], str).place(n) <= 1


def test_whole_numbers_between_are_whole_and_hold_the_ends():
    grid = between(3, 4096, 50)
    assert (grid[0], grid[-1]) == (3, 4096)
    assert all(type(n) is int for n in grid)
    assert between(1, 1, 50) == [1]


def test_spread_places_keep_their_order_and_their_gap():
    wanted = [30.0, 29.0, 80.0, 30.5, 100.0]
    places = spread(wanted, 15, most=90)
    order = sorted(range(5), key=lambda i: wanted[i])
    assert order == sorted(range(5), key=lambda i: places[i])
    ranked = sorted(places)
    assert all(b - a >= 15 - 1e-9 for a, b in pairwise(ranked))
    assert max(places) <= 90


def test_a_panel_puts_larger_values_higher_and_to_the_right():
    panel = Panel(10, 20, 100, 50, Axis(1, 100, 10, str), Linear(1, 10, str))
    assert panel.at(1, 1) == pytest.approx((10, 70))
    assert panel.at(100, 10) == pytest.approx((110, 20))
