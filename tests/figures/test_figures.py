"""The writer of pictures: rounded, escaped, and scaled as its axes say."""

import pytest
from fusedfacts.figures import svg
from fusedfacts.figures.chart import Axis, Panel, legend, spanning


def test_an_axis_is_logarithmic():
    axis = Axis(1, 100, 10, str)
    assert [axis.place(value) for value in (1, 10, 100)] == pytest.approx([0, 0.5, 1])
    assert axis.ticks() == [1, 10, 100]


def test_an_axis_with_many_powers_labels_only_some():
    ticks = Axis(2.0**-20, 2.0**20, 2, str).ticks()
    assert len(ticks) <= 8
    assert ticks[0] == 2.0**-20


def test_values_that_are_all_equal_still_span_an_axis():
    axis = spanning([8, 8], 2, str)
    assert (axis.low, axis.high) == (8, 16)


def test_a_panel_puts_larger_values_higher_and_to_the_right():
    panel = Panel(10, 20, 100, 50, Axis(1, 100, 10, str), Axis(1, 10, 10, str))
    assert panel.at(1, 1) == pytest.approx((10, 70))
    assert panel.at(100, 10) == pytest.approx((110, 20))


def test_words_are_escaped():
    assert "&lt;b&gt; &amp;" in svg.label(0, 0, "<b> &")
    assert "<desc>a &lt; b</desc>" in svg.document(1, 1, "t", "a < b", [])


def test_every_series_has_its_own_mark_and_dash():
    marks = {svg.marker(0, 0, number).replace(f"m{number}", "") for number in range(4)}
    assert len(marks) == 4
    dashes = [svg.STYLE.split(f".s{number}{{stroke:")[1].split("}")[0] for number in range(4)]
    assert len({dash.partition(";")[2] for dash in dashes}) == 4


def test_a_dark_page_gets_other_ink():
    assert "prefers-color-scheme:dark" in svg.STYLE


def test_a_legend_names_the_series_in_order():
    parts = legend(0, 10, ["one", "two"])
    assert "s0" in parts[0]
    assert "two" in parts[5]
