"""The document of `fusedfacts check`, described by workflow/schemas/check.schema.json."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from fusedfacts import errors
from fusedfacts.attention import traffic
from fusedfacts.emulator.methods import FUSED, UNFUSED, Method
from fusedfacts.judging.calls import Call
from fusedfacts.judging.head import WORST_FIRST
from fusedfacts.judging.verdict import Judgement
from fusedfacts.numerics import rounding
from fusedfacts.tensor_check import served, text
from fusedfacts.terminal import Answer

SCHEMA_VERSION = 2
HEADS_MOST = 4096  # of all entries of a batch; more are checked in several files


def answer(
    file: str,
    call: Call,
    heads: list[dict[str, Any]],
    *,
    judgement: Judgement | None,
    method: Method | None,
    device: str | None = None,
    written: Path | None = None,
) -> Answer:
    """Collect what was found of a file, its `heads` as `tensor_check.head` describes each.

    Of an answer of our own there is no judgement; it was computed on `device`, None being the
    emulator, and `written` there, if at all. Of a call that our kernels do not serve there is no
    method.
    """
    verdicts = [head["verdict"] for head in heads]
    verdict = next(word for word in WORST_FIRST if word in verdicts)
    recipe = None
    if judgement is not None:
        verdict = judgement.verdict
        recipe = {"name": judgement.recipe.name, "words": judgement.recipe.words()}
    pattern, formats = call.pattern, dict(call.formats)
    formats |= {"mask": "bool"} if "mask" in call.tensors else {}
    positions = pattern.causal or pattern.window is not None
    document = {
        "schema_version": SCHEMA_VERSION,
        "file": file,
        "sizes": asdict(call.sizes),
        "stored": {name: formats[name] for name in call.tensors},
        "judged": "computed" if judgement is None else "given",
        "recipe": recipe,
        "causal": pattern.causal,
        "align": pattern.align if positions and pattern.n_q != pattern.n_k else None,
        "window": None if pattern.window is None else list(pattern.window),
        "softcap": pattern.softcap,
        "scale": pattern.softmax_scale,
        "kernel": None if method is None else _kernel(call, method, device),
        "heads": [
            {"head": i, "batch": i // call.sizes.heads, "kernel": None, **head}
            for i, head in enumerate(heads)
        ],
        "unshown": [] if judgement is None else judgement.unshown,
        "written": None if written is None else errors.printable(str(written)),
        "verdict": verdict,
    }
    return Answer(document, text.lines(document), holds=verdict == "holds")


def _kernel(call: Call, method: Method, device: str | None) -> dict[str, Any]:
    """Count bytes over all heads, no two of which differ, of the chosen kernel and the other."""
    problem = served.problem(call)
    compulsory = traffic.compulsory_bytes(problem.n, problem.d)

    def over_heads(method: Method) -> dict[str, Any]:
        bytes_each = traffic.total_bytes(method.traffic(problem))
        return {
            "kernel": method.name,
            "bytes_each_head": bytes_each,
            "bytes": call.heads * bytes_each,
            "times_compulsory": rounding.decimals(Fraction(bytes_each, compulsory)),
        }

    return {
        "name": method.name,
        "key_rows": method.tile_rows(problem.d),
        "device": device,
        "compulsory_bytes_each_head": compulsory,
        "compulsory_bytes": call.heads * compulsory,
        "chosen": over_heads(method),
        "other": over_heads(UNFUSED if method.online else FUSED),
    }
