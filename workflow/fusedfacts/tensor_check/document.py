"""The document of `fusedfacts check`, described by workflow/schemas/check.schema.json."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from fusedfacts import errors, terminal
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.emulator.methods import FUSED, UNFUSED, Method
from fusedfacts.numerics import rounding
from fusedfacts.tensor_check import header, text
from fusedfacts.tensor_check.head import WORST_FIRST
from fusedfacts.tensor_check.header import ANSWER
from fusedfacts.tensor_check.tensors import Tensors
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
    """Collect what was found of a file, its `heads` as `head.check` describes each.

    Our answer was computed on `device`, None being the emulator, and `written` there, if at all.
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
        "written": None if written is None else errors.printable(str(written)),
        "verdict": verdict,
    }
    return Answer(document, text.lines(document), holds=verdict == "holds")


def _notes(found: Tensors) -> list[str]:
    """Note what the file's shape makes one wonder about."""
    if found.heads <= found.n:
        return []
    return [
        f"{found.heads:,} heads of {terminal.counted(found.n, 'word')}, read as (heads, n, d); if"
        " this is (n, heads, d), what follows is of another attention: save"
        f" {header.swapped('q')}, and {header.OTHERS}"
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
