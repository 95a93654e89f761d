"""Axes with a place for 0, linear axes, and words at lines' ends."""

import math
from itertools import pairwise

import pytest
from fusedfacts.figures.chart import Axis, Linear, Panel, between, lengths, spanning, spread


def test_zero_stands_at_the_low_end_of_a_logarithmic_axis():
    axis = spanning([0.0, 1e-7, 1e-5], 10, str)
    assert axis.place(0.0) == 0
    assert 0 < axis.place(1e-7) < axis.place(1e-5) == pytest.approx(1)
    assert axis.ticks()[0] == 0


def test_zeros_alone_still_span_an_axis():
    axis = spanning([0.0, 0.0], 10, str)
    assert axis.place(0.0) == 0
    assert axis.low < axis.high


def test_a_linear_axis_is_linear():
    axis = Linear(-2, 2, str)
    assert [axis.place(value) for value in (-2, -1, 0, 2)] == [0, 0.25, 0.5, 1]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (4, 10), (-20, 20), (0.5, 1.5), (0, 1234567)])
def test_ticks_of_a_linear_axis_are_few_and_evenly_apart(low, high):
    ticks = Linear(low, high, str).ticks()
    assert 2 <= len(ticks) <= 6
    assert low <= min(ticks) <= max(ticks) <= high
    steps = {round(b - a, 9) for a, b in pairwise(ticks)}
    assert len(steps) == 1
    assert f"{steps.pop():e}"[0] in "125"


def test_lengths_reach_from_the_least_to_the_largest():
    axis = lengths([512, 64, 100], str)
    assert (axis.low, axis.high) == (64, 512)
    assert axis.ticks() == [64, 128, 256, 512]


@pytest.mark.parametrize("n", [1, 2, 3, 2**40])
def test_one_length_alone_has_an_axis(n):
    axis = lengths([n], str)
    assert 0 <= axis.place(n) <= 1


def test_whole_numbers_between_are_whole_and_hold_the_ends():
    grid = between(3, 4096, 50)
    assert grid[0] == 3
    assert grid[-1] == 4096
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


def test_spread_leaves_what_does_not_collide():
    assert spread([10, 200, 50], 15) == [10, 200, 50]


def test_a_panel_takes_either_axis():
    panel = Panel(0, 0, 100, 100, Axis(1, 100, 10, str), Linear(0, 10, str))
    assert panel.at(10, 5) == pytest.approx((50, 50))


def test_a_last_digit_of_a_logarithm_moves_no_coordinate():
    from fusedfacts.figures import svg

    for tenth in range(1000):
        tie = tenth / 10 + 0.05
        assert svg.number(math.nextafter(tie, 0)) == svg.number(math.nextafter(tie, 1e3))
