"""What a check leaves behind for publication, rounded so that it is the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fusedfacts.attention.compare import Check
from fusedfacts.errors import ClaimError
from fusedfacts.numerics import rounding


def must_be_certified(certified: Iterable[bool], name: str) -> None:
    """A bound that is too wide to say anything must not stand behind a claim.

    Raises
    ------
    ClaimError
        If it is not certified.
    """
    if not all(certified):
        raise ClaimError(
            f"{name}: the bound is not certified, expected exponent errors below its limit"
            " (docs/error-bound.md); scores are too large for float32 to tell shares apart"
        )


def published(check: Check, name: str) -> dict[str, Any]:
    """The figures of a check that passed: errors and ratios rounded up.

    Raises
    ------
    ClaimError
        If the check did not pass.
    """
    if not check.passed:
        raise ClaimError(
            f"{name}: {check.wrong_elements} elements lie outside their bound (largest error"
            f" {check.largest_error:.3g}, ratio {check.largest_ratio:.3g}), expected none;"
            " nothing is published until the code or the bound is mended"
        )
    return {
        "largest_error": rounding.up(check.largest_error, f"{name}: largest error"),
        "bound_there": rounding.up(check.bound_there, f"{name}: bound"),
        "largest_ratio": rounding.up(check.largest_ratio, f"{name}: largest error/bound"),
        "within_bound": True,
    }


def must_equal(found: Any, expected: Any, what: str) -> None:
    """Two independent ways to a number must agree.

    Raises
    ------
    ClaimError
        If they do not.
    """
    if found != expected:
        raise ClaimError(
            f"{what}: found {found}, expected {expected}; nothing is published until they agree"
        )
