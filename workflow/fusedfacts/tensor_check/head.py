"""One head of somebody's tensors: its answer against the exact one, its bytes, its scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fusedfacts import terminal
from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.compare import compare, require_equal
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem, Rows, Wide
from fusedfacts.emulator.methods import Compute, Method
from fusedfacts.numerics import rounding
from fusedfacts.tensor_check import scores as score_figures

Verdict = Literal["holds", "does not hold", "not certified"]
WORST_FIRST: tuple[Verdict, ...] = ("does not hold", "not certified", "holds")
STEPS = 3  # of a check, each about as long as the others


def check(
    q: Rows,
    k: Rows,
    v: Rows,
    method: Method,
    problem: Problem,
    compute: Compute,
    arithmetic: Arithmetic | None = None,
    given: Rows | None = None,
    given_error: Wide | None = None,
    begin: Callable[[str], None] = lambda words: None,
) -> tuple[dict[str, Any], Rows]:
    """Check one head of finite tensors.

    Parameters
    ----------
    compute : callable
        Our own answer, in the `arithmetic` of some machine.
    given, given_error : ndarray, shape (n, d), optional
        Somebody else's answer, which is judged instead of ours, and what storing it may have
        changed.
    begin : callable
        Called with a few words as each of the `STEPS` begins.

    Returns
    -------
    dict
        As workflow/schemas/check.schema.json describes a head: figures alone, so that the tensors
        can be freed.
    ndarray of float32, shape (n, d)
        Our own answer.
    """
    # Overflow is looked for afterwards, by place; NumPy would only warn that there is some.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        begin("the answer")
        ours, moved = compute(q, k, v)
        require_equal(moved, method.traffic(problem), f"{method.name}: elements moved")
        begin("the exact answer and its bound")
        mask_and_scale: Any = {"causal": problem.causal, "scale": problem.scale}
        order = method.order(problem.d)
        bounded = attention_bounds(q, k, v, [order], arithmetic=arithmetic, **mask_and_scale)
        bound = bounded.bounds[0] if given_error is None else bounded.bounds[0] + given_error
        judged = ours if given is None else given
        compared = compare(judged, bounded.exact, bound)
        begin("scores")
        scores = score_figures.figures(q, k, problem, method.tile_rows(problem.d))
    lost = ~np.isfinite(ours)
    # The bound is a theorem about sums that do not overflow. An accumulator of the answer that did
    # shows as an element that is not finite; a score may drop a key without a trace.
    in_float32 = scores["float32"]
    certain = bounded.certified[0] and (given is not None or not in_float32["scores_overflowing"])
    verdict: Verdict = "holds" if certain else "not certified"
    figures = {
        "verdict": verdict if compared.passed else "does not hold",
        "certified": bounded.certified[0],
        "bytes": traffic.total_bytes(moved),
        "elements": int(compared.wrong.size),
        "largest_error": _up(compared.largest_error),
        "bound_there": _up(compared.bound_there),
        "largest_ratio": _up(compared.largest_ratio),
        "exceeding": compared.wrong_elements,
        "first_exceeding": _exceeding(compared.wrong, judged, bounded.exact, bound),
        **scores,
    }
    in_float32["elements_overflowing"] = int(lost.sum())
    in_float32["first_element"] = first_place(lost)
    return figures, ours


def first_place(where: NDArray[np.bool_]) -> dict[str, int] | None:
    """Find the first true element.

    >>> first_place(np.array([[False, False], [False, True]])), first_place(np.array([[False]]))
    ({'row': 1, 'column': 1}, None)
    """
    if not where.any():
        return None
    row, column = np.argwhere(where)[0]
    return {"row": int(row), "column": int(column)}


def _up(value: float) -> float | None:
    """Round an error up; None where it is not finite."""
    return rounding.shown_up(value) if np.isfinite(value) else None


def _exceeding(
    wrong: NDArray[np.bool_], judged: Rows, exact: Wide, bound: Wide
) -> dict[str, Any] | None:
    """Describe the first element that exceeds its bound."""
    place = first_place(wrong)
    if place is None:
        return None
    at = place["row"], place["column"]
    found, expected = float(judged[at]), float(exact[at])
    return {
        **place,
        "found": found if np.isfinite(found) else None,
        "expected": float(terminal.float32(expected)),
        "error": _up(abs(found - expected)),
        "bound": _up(float(bound[at])),
    }
