"""The checker: an answer passes where its error does not exceed its bound, element by element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.reference import Wide

# The planted faults are relative errors 2^-k of every row's total, from the spacing of float32
# numbers above 1, the least that can be planted, to gross.
PLANTED_EXPONENTS = range(23, 0, -1)


@dataclass(frozen=True)
class Check:
    """What the checker saw of one answer.

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
        """Whether no element is wrong."""
        return not bool(self.wrong.any())

    @property
    def wrong_elements(self) -> int:
        """How many elements are wrong."""
        return int(self.wrong.sum())

    @property
    def wrong_rows(self) -> NDArray[np.bool_]:
        """For each row (one answer), whether any of its elements is wrong."""
        return np.asarray(self.wrong.any(axis=1), dtype=np.bool_)


def check(output: NDArray[np.float32], exact: Wide, bound: Wide) -> Check:
    """Compare an answer with the exact one, all of shape (n, d).

    Examples
    --------
    >>> one = np.ones((1, 1), dtype=np.float32)
    >>> check(one, one.astype(float), one * 0.0).passed
    True
    >>> check(one * np.float32(np.nan), one.astype(float), one * np.inf).passed
    False
    """
    finite = np.isfinite(output)
    error = np.where(finite, np.abs(output.astype(np.float64) - exact), np.inf)
    # `not (error <= bound)`: a NaN on either side is a failure, never a pass.
    wrong = ~(error <= bound) | ~finite
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(error == 0, 0.0, error / bound)
    at = int(np.argmax(error))
    return Check(
        wrong,
        largest_error=float(error.flat[at]),
        bound_there=float(bound.flat[at]),
        largest_ratio=float(ratio.max()),
    )


def smallest_faults_seen(
    output: NDArray[np.float32], exact: Wide, bound: Wide
) -> dict[str, int | None]:
    """How small an error of every row's total the checker still sees.

    A total too small by a relative 2^-k is planted in the answer (it makes the answer larger)
    and the checker is run on it, for each k from 23 down.

    Returns
    -------
    dict
        "in_some_row" and "in_every_row": the largest k seen in at least one row, and in each
        row apart; None where even a total of half its size goes unseen.
    """
    some = every = None
    for exponent in PLANTED_EXPONENTS:
        planted = output * np.float32(1 / (1 - 2.0**-exponent))
        rows = check(planted, exact, bound).wrong_rows
        if some is None and rows.any():
            some = exponent
        if rows.all():
            every = exponent
            break
    return {"in_some_row": some, "in_every_row": every}
