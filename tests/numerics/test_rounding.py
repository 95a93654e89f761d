from fractions import Fraction

import pytest
from fusedfacts.errors import ClaimError
from fusedfacts.numerics.rounding import decimals, nearest, up


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(1.2301e-7, 1.24e-7), (9.991e5, 1.0e6), (0.0, 0.0), (123.4, 124.0)],
)
def test_errors_are_rounded_up(value, rounded):
    assert up(value, "x") == rounded


@pytest.mark.parametrize("value", [1.23e-7, 1.23e-7 * (1 + 9e-7), 1.23e-7 * (1 - 9e-7), 0.5])
def test_a_value_next_to_a_boundary_stops_the_build(value):
    with pytest.raises(ClaimError, match=r"head 3: .* within 0.000001|head 3: .* within 1e-6"):
        up(value, "head 3")


def test_a_value_clear_of_the_boundary_rounds_the_same_on_both_sides_of_machine_noise():
    for value in (1.23e-7 * (1 + 2e-6), 4.56789):
        noise = [value * (1 + k * 1e-9) for k in range(-3, 4)]
        assert len({up(x, "x") for x in noise}) == 1


def test_nearest_is_guarded_at_the_middle():
    assert nearest(0.80157, "loss") == 0.802
    with pytest.raises(ClaimError):
        nearest(0.8015, "loss")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_never_published(value):
    with pytest.raises(ClaimError, match="finite"):
        up(value, "x")


def test_decimals_of_fractions_are_exact():
    assert decimals(Fraction(285_736_960, 17_301_504)) == 16.5152
    assert decimals(Fraction(1, 8), 2) == 0.12
