"""Compare an answer with the exact one: it passes where no element's error exceeds its bound.

What a comparison leaves behind for publication is rounded so that it is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import Rows, Wide
from fusedfacts.errors import ClaimError
from fusedfacts.numerics import rounding

# The planted faults are relative errors 2^-k of every row's total, from the spacing of float32
# numbers above 1, the least that can be planted, to gross.
PLANTED_EXPONENTS = range(23, 0, -1)


@dataclass(frozen=True)
class Comparison:
    """An answer beside the exact one and its bound.

    Attributes
    ----------
    wrong : ndarray of bool, shape (n, d)
        True where the element is not finite or exceeds its bound.
    largest_error, bound_there : float
        The largest error and that element's bound; infinity where an element is not finite.
    largest_ratio : float
        The largest error / bound.
    """

    wrong: NDArray[np.bool_]
    largest_error: float
    bound_there: float
    largest_ratio: float

    @property
    def passed(self) -> bool:
        """Tell whether no element is wrong."""
        return not bool(self.wrong.any())

    @property
    def wrong_elements(self) -> int:
        """Count the elements that are wrong."""
        return int(self.wrong.sum())

    @property
    def wrong_rows(self) -> NDArray[np.bool_]:
        """Tell for each row (one answer) whether any of its elements is wrong."""
        return np.asarray(self.wrong.any(axis=1), dtype=np.bool_)


def compare(output: Rows, exact: Wide, bound: Wide) -> Comparison:
    """Compare an answer with the exact one, all of shape (n, d).

    >>> one = np.ones((1, 1), dtype=np.float32)
    >>> compare(one, one.astype(float), one * 0.0).passed
    True
    >>> compare(one * np.float32(np.nan), one.astype(float), one * np.inf).passed
    False
    """
    finite = np.isfinite(output)
    error = np.where(finite, np.abs(output.astype(np.float64) - exact), np.inf)
    # `not (error <= bound)`: a NaN on either side is a failure, never a pass.
    wrong = ~(error <= bound) | ~finite
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(error == 0, 0.0, error / bound)
    at = int(np.argmax(error))
    return Comparison(
        wrong,
        largest_error=float(error.flat[at]),
        bound_there=float(bound.flat[at]),
        largest_ratio=float(ratio.max()),
    )


def smallest_faults_seen(output: Rows, exact: Wide, bound: Wide) -> dict[str, int | None]:
    """Find how small an error of every row's total a comparison still sees.

    A total too small by a relative 2^-k is planted in the answer (it makes the answer larger)
    and compared, for each k from 23 down.

    Returns
    -------
    dict
        "in_some_row" and "in_every_row": the largest k seen in at least one row, and in each
        row apart; None where even a total of half its size goes unseen.
    """
    some = every = None
    for exponent in PLANTED_EXPONENTS:
        planted = output * np.float32(1 / (1 - 2.0**-exponent))
        rows = compare(planted, exact, bound).wrong_rows
        if some is None and rows.any():
            some = exponent
        if rows.all():
            every = exponent
            break
    return {"in_some_row": some, "in_every_row": every}


def require_certified(certified: Iterable[bool], name: str) -> None:
    """Raise a ClaimError where a bound is too wide to say anything."""
    if not all(certified):
        raise ClaimError(
            f"{name}: the bound is not certified, expected one that is as sharp as"
            " docs/error-bound.md asks; scores are too large for float32 to tell shares apart"
        )


def require_equal(found: Any, expected: Any, what: str) -> None:
    """Raise a ClaimError where two independent computations of one thing disagree."""
    if found != expected:
        raise ClaimError(
            f"{what}: found {found}, expected {expected}; nothing is published until they agree"
        )


def figures(
    comparison: Comparison,
    name: str,
    *,
    hint: str = "nothing is published until the code or the bound is mended",
    round_up: Callable[[float, str], float] = rounding.up,
) -> dict[str, Any]:
    """Publish a comparison that passed, errors and ratios rounded up; raise a ClaimError else."""
    if not comparison.passed:
        raise ClaimError(
            f"{name}: {comparison.wrong_elements} elements lie outside their bound (largest error"
            f" {comparison.largest_error:.3g}, ratio {comparison.largest_ratio:.3g}), expected"
            f" none; {hint}"
        )
    return {
        "largest_error": round_up(comparison.largest_error, f"{name}: largest error"),
        "bound_there": round_up(comparison.bound_there, f"{name}: bound"),
        "largest_ratio": round_up(comparison.largest_ratio, f"{name}: largest error/bound"),
        "within_bound": True,
    }


def published(
    output: Rows,
    exact: Wide,
    bound: Wide,
    name: str,
    round_up: Callable[[float, str], float] = rounding.up,
) -> dict[str, Any]:
    """Publish an answer that passed, and how small a planted fault its check still sees."""
    found = figures(compare(output, exact, bound), name, round_up=round_up)
    return {**found, "smallest_fault_seen": smallest_faults_seen(output, exact, bound)}
