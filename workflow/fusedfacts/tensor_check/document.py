"""The document of `fusedfacts check`, described by workflow/schemas/check.schema.json."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fusedfacts import terminal
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.emulator.methods import FUSED, UNFUSED, Method
from fusedfacts.numerics import rounding
from fusedfacts.tensor_check import text
from fusedfacts.tensor_check.head import WORST_FIRST, HeadCheck, first_place
from fusedfacts.tensor_check.safetensors_file import shown
from fusedfacts.tensor_check.tensors import ANSWER, Tensors
from fusedfacts.terminal import Answer

SCHEMA_VERSION = 1


def answer(
    found: Tensors,
    method: Method,
    problem: Problem,
    heads: list[dict[str, Any]],
    *,
    device: str | None,
    written: Path | None,
) -> Answer:
    """Collect what was found of a file, head by head, and the verdict.

    Parameters
    ----------
    heads : list of dict
        As `of_head` writes each.
    device : str or None
        The device that computed the answer.
    written : Path or None
        Where the answer was written.
    """
    verdicts = [head["verdict"] for head in heads]
    verdict = next(word for word in WORST_FIRST if word in verdicts)
    document = {
        "schema_version": SCHEMA_VERSION,
        "file": found.file,
        "heads_in_file": len(found.shape) == 3,
        "n": found.n,
        "d": found.d,
        "stored": {name: stored.name for name, stored in found.stored.items()},
        "kernel": method.name,
        "causal": problem.causal,
        "scale": problem.softmax_scale,
        "key_rows": method.tile_rows(found.d),
        "device": device,
        "judged": "given" if ANSWER in found.stored else "computed",
        "notes": _notes(found),
        "compulsory_bytes": traffic.compulsory_bytes(found.n, found.d),
        "moved": _moved(found.heads, method, problem),
        "heads": heads,
        "written": None if written is None else shown(written),
        "verdict": verdict,
    }
    return Answer(document, text.lines(document), holds=verdict == "holds")


def _notes(found: Tensors) -> list[str]:
    """Note what the file's shape makes one wonder about."""
    if found.heads <= found.n:
        return []
    return [
        f"{found.heads:,} heads of {terminal.counted(found.n, 'word')}: expected (heads, n, d);"
        " transpose if this is (n, heads, d)"
    ]


def _moved(heads: int, method: Method, problem: Problem) -> dict[str, Any]:
    """Count bytes over all heads, no two of which differ, of the chosen kernel and the other."""
    compulsory = traffic.compulsory_bytes(problem.n, problem.d)

    def over_heads(method: Method) -> dict[str, Any]:
        bytes_each = traffic.total_bytes(method.traffic(problem))
        return {
            "kernel": method.name,
            "bytes_each_head": bytes_each,
            "bytes": heads * bytes_each,
            "times_compulsory": rounding.decimals(Fraction(bytes_each, compulsory)),
        }

    return {
        "compulsory_bytes": heads * compulsory,
        "chosen": over_heads(method),
        "other": over_heads(UNFUSED if method.online else FUSED),
    }


def _up(value: float) -> float | None:
    """Round an error up; None where it is not finite."""
    return rounding.shown_up(value) if np.isfinite(value) else None


def _place(found: tuple[int, int] | None, across: str) -> dict[str, int] | None:
    return None if found is None else {"row": found[0], across: found[1]}


def of_head(head: int, found: HeadCheck) -> dict[str, Any]:
    """Write down one head: figures alone, so that its tensors can be freed."""
    scores, seen = found.scores, found.seen
    return {
        "head": head,
        "verdict": found.verdict,
        "certified": found.certified,
        "bytes": found.bytes,
        "elements": int(seen.wrong.size),
        "largest_error": _up(seen.largest_error),
        "bound_there": _up(seen.bound_there),
        "largest_ratio": _up(seen.largest_ratio),
        "exceeding": seen.wrong_elements,
        "first_exceeding": _first_exceeding(found),
        "rises": scores.rises,
        "largest_score": scores.largest,
        "float32": {
            "scores_overflowing": scores.overflowed,
            "first_score": _place(scores.first_overflowed, "key"),
            "elements_overflowing": int(found.overflowed.sum()),
            "first_element": _place(first_place(found.overflowed), "column"),
        },
        "fp16": {
            "scores": scores.scores,
            "infinite_terms": scores.infinite_in_fp16,
            "rows_with_infinite_term": scores.rows_with_infinite,
            "rows_overflowing_in_total_only": scores.rows_by_total_alone,
        },
    }


def _first_exceeding(found: HeadCheck) -> dict[str, Any] | None:
    place = found.first_wrong
    if place is None:
        return None
    value, exact = float(found.judged[place]), float(found.exact[place])
    return {
        "row": place[0],
        "column": place[1],
        "found": value if np.isfinite(value) else None,
        "expected": float(terminal.float32(exact)),
        "error": _up(abs(value - exact)),
        "bound": _up(float(found.bound[place])),
    }
