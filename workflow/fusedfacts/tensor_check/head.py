"""One head of somebody's tensors as the document has it: what was judged, bytes, scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.compare import require_equal
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem, Rows
from fusedfacts.emulator.methods import Compute, Method
from fusedfacts.judging.accuracy import Accuracy
from fusedfacts.judging.head import Head, Verdict
from fusedfacts.numerics import rounding
from fusedfacts.tensor_check import scores as score_figures

STEPS = 3  # of a check of our own answer, each about as long as the others
DIGITS, DIGITS_64 = 9, 15  # of a value: they tell two numbers apart, and BLAS errs beyond them


def given(found: Head, digits: int = DIGITS) -> dict[str, Any]:
    """Describe what was judged of an answer, an lse, or both."""
    return {
        "verdict": found.verdict,
        "certified": found.certified,
        "output": _held(found.output, digits),
        "lse": _held(found.lse, digits, columns=False),
        "blind_rows": found.blind_rows,
        "blind": found.blind,
        "explained": [
            {"name": name, "largest_ratio": _up(ratio)} for name, ratio in found.explained
        ],
        "places": found.places,
        "hidden": found.hidden,
    }


def kernel(q: Rows, k: Rows, method: Method, problem: Problem) -> dict[str, Any]:
    """Describe what a kernel of ours moves for a head, and what its scores do; it is not run."""
    with _unwarned():
        scores = score_figures.figures(q, k, problem, method.tile_rows(problem.d))
    scores["float32"] |= {"elements_overflowing": None, "first_element": None}
    return {"bytes": traffic.total_bytes(method.traffic(problem)), **scores}


def computed(
    q: Rows,
    k: Rows,
    v: Rows,
    method: Method,
    problem: Problem,
    compute: Compute,
    arithmetic: Arithmetic | None = None,
    begin: Callable[[str], None] = lambda words: None,
) -> tuple[dict[str, Any], Rows]:
    """Compute our own answer for one head of finite tensors, and check it.

    Parameters
    ----------
    compute : callable
        Our own answer, in the `arithmetic` of some machine.
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
    with _unwarned():
        begin("the answer")
        ours, moved = compute(q, k, v)
        require_equal(moved, method.traffic(problem), f"{method.name}: elements moved")
        begin("the exact answer and its bound")
        mask_and_scale: Any = {"causal": problem.causal, "scale": problem.scale}
        order = method.order(problem.d)
        bounded = attention_bounds(q, k, v, [order], arithmetic=arithmetic, **mask_and_scale)
        held = Accuracy()
        held.add(ours.astype(np.float64), bounded.exact, bounded.bounds[0], np.arange(problem.n))
        begin("scores")
        of_kernel = kernel(q, k, method, problem)
    lost = ~np.isfinite(ours)
    in_float32 = of_kernel["float32"]
    in_float32["elements_overflowing"] = int(lost.sum())
    in_float32["first_element"] = first_place(lost)
    # The bound is a theorem about sums that do not overflow. An accumulator of the answer that did
    # shows as an element that is not finite; a score may drop a key without a trace.
    certain = bounded.certified[0] and not in_float32["scores_overflowing"]
    verdict: Verdict = "holds" if certain else "not certified"
    described = given(Head(held, certified=bounded.certified[0]))
    described["verdict"] = "does not hold" if held.exceeding else verdict
    return {**described, "kernel": of_kernel}, ours


def first_place(where: NDArray[np.bool_]) -> dict[str, int] | None:
    """Find the first true element.

    >>> first_place(np.array([[False, False], [False, True]])), first_place(np.array([[False]]))
    ({'row': 1, 'column': 1}, None)
    """
    if not where.any():
        return None
    row, column = np.argwhere(where)[0]
    return {"row": int(row), "column": int(column)}


def _unwarned() -> Any:
    """Let numbers overflow: that is looked for, by place; NumPy would only warn of some."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def _up(value: float) -> float | None:
    """Round an error up; None where it is not finite."""
    return rounding.shown_up(value) if np.isfinite(value) else None


def _held(part: Accuracy | None, digits: int, *, columns: bool = True) -> dict[str, Any] | None:
    """Describe what was held to its bound; of nothing, the errors are 0."""
    if part is None:
        return None
    first = part.first
    if first is not None:
        found = first["found"]
        first = {
            **first,
            "column": first["column"] if columns else None,
            "found": found if np.isfinite(found) else None,
            "expected": float(f"{first['expected']:.{digits}g}"),
            "error": _up(first["error"]),
            "bound": _up(first["bound"]),
        }
    return {
        "elements": part.elements,
        "exceeding": part.exceeding,
        "largest_error": _up(max(part.largest_error, 0.0)),
        "bound_there": _up(part.bound_there),
        "largest_ratio": _up(part.largest_ratio),
        "first_exceeding": first,
    }
