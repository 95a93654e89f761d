"""One head of somebody's tensors: its answer against the exact one, its bytes, its scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import traffic as counts
from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.compare import Comparison, compare, require_equal
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem, Rows, Wide
from fusedfacts.emulator.methods import Compute, Method
from fusedfacts.tensor_check import scores as score_figures
from fusedfacts.tensor_check.scores import ScoreFigures

Verdict = Literal["holds", "does not hold", "not certified"]
WORST_FIRST: tuple[Verdict, ...] = ("does not hold", "not certified", "holds")

STEPS = 3  # of a check, each about as long as the others


@dataclass(frozen=True)
class HeadCheck:
    """What was found of one head.

    Attributes
    ----------
    overflowed : ndarray of bool, shape (n, d)
        Where our own answer is not finite, although every exact one is.
    judged_is_ours : bool
        Whether it is that answer which is judged.
    """

    bytes: int
    seen: Comparison
    certified: bool
    scores: ScoreFigures
    overflowed: NDArray[np.bool_]
    judged_is_ours: bool
    judged: Rows
    exact: Wide
    bound: Wide

    @property
    def verdict(self) -> Verdict:
        """Judge whether the answer lies within a bound that means something.

        The bound is a theorem about sums that do not overflow. An accumulator of the answer that
        did shows as an element that is not finite; a score may drop a key without a trace.
        """
        if not self.seen.passed:
            return "does not hold"
        overflow = self.judged_is_ours and self.scores.overflowed > 0
        return "holds" if self.certified and not overflow else "not certified"

    @property
    def first_wrong(self) -> tuple[int, int] | None:
        """Find row and column of the first element that exceeds its bound."""
        return first_place(self.seen.wrong)


def first_place(where: NDArray[np.bool_]) -> tuple[int, int] | None:
    """Find row and column of the first true element.

    >>> first_place(np.array([[False, False], [False, True]])), first_place(np.array([[False]]))
    ((1, 1), None)
    """
    if not where.any():
        return None
    row, column = np.argwhere(where)[0]
    return int(row), int(column)


def head(
    q: Rows,
    k: Rows,
    v: Rows,
    method: Method,
    problem: Problem,
    compute: Compute,
    *,
    arithmetic: Arithmetic | None = None,
    given: Rows | None = None,
    given_error: Wide | None = None,
    begin: Callable[[str], None] = lambda words: None,
) -> tuple[HeadCheck, Rows]:
    """Check one head.

    Parameters
    ----------
    q, k, v : ndarray of float32, shape (n, d)
        Finite.
    compute : callable
        Our own answer.
    arithmetic : Arithmetic, optional
        Of the machine that `compute` runs on.
    given, given_error : ndarray, shape (n, d), optional
        Somebody else's answer, which is judged instead of ours, and what storing it may have
        changed.
    begin : callable
        Called with a few words as each of the `STEPS` begins.

    Returns
    -------
    HeadCheck
    ndarray of float32, shape (n, d)
        Our own answer.
    """
    name = f"{method.name}, n {problem.n}, d {problem.d}"
    # Overflow is looked for afterwards, by place; NumPy would only warn that there is some.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        begin("the answer")
        ours, traffic = compute(q, k, v)
        require_equal(traffic, method.traffic(problem), f"{name}: elements moved")
        begin("the exact answer and its bound")
        bounded = attention_bounds(
            q,
            k,
            v,
            [method.order(problem.d)],
            causal=problem.causal,
            scale=problem.scale,
            arithmetic=arithmetic,
        )
        bound = bounded.bounds[0] if given_error is None else bounded.bounds[0] + given_error
        judged = ours if given is None else given
        seen = compare(judged, bounded.exact, bound)
        begin("scores")
        scores = score_figures.figures(q, k, problem, method.tile_rows(problem.d))
    found = HeadCheck(
        bytes=counts.total_bytes(traffic),
        seen=seen,
        certified=bounded.certified[0],
        scores=scores,
        overflowed=~np.isfinite(ours),
        judged_is_ours=given is None,
        judged=judged,
        exact=bounded.exact,
        bound=bound,
    )
    return found, ours
