"""Rounding for publication: three significant digits that no machine can round otherwise.

A float64 value computed with BLAS or a math library differs between machines near its
sixteenth digit. Rounded, it is the same everywhere unless it lies next to a rounding boundary;
so a value that does stops the build.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from fusedfacts.errors import ClaimError

DIGITS = 3  # significant, of errors, bounds and losses
DECIMALS = 4  # of logarithms, scores and ratios of counts
# Errors near 1e-8 of references good to 1e-16 are themselves good to 1e-8, relative; a hundred
# times that is a safe distance.
MARGIN = Decimal("1e-6")

LEAST = 1e-300  # float64 has fewer digits where it is subnormal, which libraries differ in


def _round(value: float, name: str, digits: int, rounding: str, half: Decimal) -> float:
    exact = Decimal(value)
    if not exact.is_finite():
        raise ClaimError(f"{name}: found {value}, expected a finite number; nothing is published")
    if exact == 0:
        return 0.0
    step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    steps = exact / step
    to_boundary = abs(steps - half - (steps - half).to_integral_value()) * step
    if to_boundary <= MARGIN * abs(exact):
        raise ClaimError(
            f"{name}: {value!r} lies within {MARGIN} (relative) of a rounding boundary, where"
            " two machines may round it differently; change `seed` in config.yaml"
        )
    return float(steps.to_integral_value(rounding=rounding) * step)


def up(value: float, name: str, digits: int = DIGITS) -> float:
    """Round an error, bound or ratio up; `name` says what it is.

    A value that is not finite, or too near to a boundary to be the same on every machine, is a
    ClaimError.

    >>> up(1.23401e-7, "error"), up(0.0, "error")
    (1.24e-07, 0.0)
    """
    return _round(value, name, digits, ROUND_CEILING, Decimal(0))


def up_past(value: float, name: str) -> float:
    """Round up, and past a boundary that is too near: for inputs that no seed can change.

    >>> up_past(1.23401e-7, "error"), up_past(0.123, "a boundary itself")
    (1.24e-07, 0.124)
    """
    if value:
        value = max(value, LEAST)
    try:
        return up(value, name)
    except ClaimError:  # near on every machine alike, but for one value in a million of these
        return up(value * (1 + 4 * float(MARGIN)), name)


def shown_up(value: float, digits: int = DIGITS) -> float:
    """Round up without the guard, for somebody's own data, which nobody publishes.

    >>> shown_up(1.23401e-7), shown_up(0.5), shown_up(0.0)
    (1.24e-07, 0.5, 0.0)
    """
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(value))


def nearest(value: float, name: str, digits: int = DIGITS) -> float:
    """Round a value to the nearest, under the same guard.

    >>> nearest(2.71828, "e")
    2.72
    """
    return _round(value, name, digits, ROUND_HALF_EVEN, Decimal("0.5"))


def decimals(value: Decimal | Fraction | float, places: int = DECIMALS) -> float:
    """Round an exact value half-even to some decimal places: no guard, since nothing moves it.

    >>> decimals(Fraction(1, 3)), decimals(2.5, 0)
    (0.3333, 2.0)
    """
    if isinstance(value, Fraction):
        scaled = value * 10**places
        return float(Decimal(round(scaled)).scaleb(-places))
    step = Decimal(1).scaleb(-places)
    return float(Decimal(value).quantize(step, rounding=ROUND_HALF_EVEN))
