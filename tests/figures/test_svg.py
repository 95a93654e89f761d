"""The writer of pictures: rounded, escaped, and told apart without colour."""

import math

from fusedfacts.figures import svg


def test_words_are_escaped():
    assert "&lt;b&gt; &amp;" in svg.label(0, 0, "<b> &")
    assert "<desc>a &lt; b</desc>" in svg.document(1, "t", "a < b", [])


def test_every_series_has_its_own_mark_and_dash():
    marks = {svg.marker(0, 0, number).replace(f"m{number}", "") for number in range(4)}
    assert len(marks) == 4
    dashes = [svg.STYLE.split(f".s{number}{{stroke:")[1].split("}")[0] for number in range(4)]
    assert len({dash.partition(";")[2] for dash in dashes}) == 4


def test_a_last_digit_of_a_logarithm_moves_no_coordinate():
    for tenth in range(1000):
        tie = tenth / 10 + 0.05
        assert svg.number(math.nextafter(tie, 0)) == svg.number(math.nextafter(tie, 1e3))
