"""Hold an answer on tensors of your own against the exact one, head by head.

FILE holds tensors q, k and v of shape (n, d) or (heads, n, d) in float32;
float16 and bfloat16 are widened, which is exact. The emulated kernel's answer
is judged, or a device's (--device), or yours, if the file holds one as tensor
o. Each element may err by what docs/error-bound.md derives for the order of
sums of the chosen kernel; the check says which do not keep to it.

Save each array as np.ascontiguousarray(x): save_file scrambles a transposed one.

The bound is of float32 arithmetic throughout. An answer computed in less
precision, say with shares rounded to float16, exceeds it, and rightly: only
how o itself is stored is allowed for.

Said of each head, too: the bytes that the float32 kernel moves, how often its
running maximum rose, and how many terms and rows would overflow fp16 if the
maximum were not subtracted. workflow/schemas/check.schema.json gives the
meaning of every figure.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.problem import KEY_TILE_FLOATS, Problem, Rows
from fusedfacts.cli import options
from fusedfacts.documents import files
from fusedfacts.emulator.methods import FUSED, Compute, Method, emulated
from fusedfacts.errors import FactsError
from fusedfacts.numerics import subnormals
from fusedfacts.tensor_check import document, header, safetensors_file, tensors
from fusedfacts.tensor_check import head as head_check
from fusedfacts.tensor_check.header import ANSWER, INPUTS
from fusedfacts.terminal import Answer, progress_bar

TILE_MOST = header.N_MOST  # a tile of the longest sequence holds every key at once


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a safetensors file with q, k, v, and perhaps o")
    add("--kernel", choices=list(traffic.ELEMENTS), default=FUSED.name, help="fused by default")
    options.add_causal(parser)
    add("--scale", type=options.real, metavar="S", help="of scores; 1 / sqrt(d) by default")
    words = f"rows of the fused kernel's key tile, 1 to {TILE_MOST:,}; by default the kernel's own,"
    add("--tile", type=options.whole, metavar="BC", help=f"{words} {KEY_TILE_FLOATS:,} / d")
    named = "any, a type, or a part of a name, as `python -m fusedfacts.device` lists them"
    add("--device", metavar="NAME", help=f"run the real kernel there: {named}")
    words = "write our answer there, as tensor o alone: q, k and v are not copied"
    add("--write", type=Path, metavar="OUT", help=words)


def run(given: argparse.Namespace) -> Answer:
    """Check every head of the file."""
    _refuse(given)
    subnormals.require_kept()
    method = Method(given.kernel, given.tile)
    heads: list[dict[str, Any]] = []
    outputs: list[Rows] = []
    with tensors.opened(given.file) as found:
        if ANSWER in found.stored and (given.write or given.device):
            wish = "--write, our answer" if given.write else "--device, a device's answer"
            raise FactsError(
                f"{found.file}: found tensor o, which is judged instead of ours, and {wish},"
                " expected one of the two; leave out the option, or the tensor"
            )
        if given.write:
            safetensors_file.check_target(given.write, given.file)
        found.check_finite()
        problem = Problem(found.n, found.d, given.causal, given.scale)
        compute, arithmetic, device = _computing(given.device, method, problem)
        with progress_bar(found.heads * head_check.STEPS) as begin:
            for head in range(found.heads):
                q, k, v = (found.head(name, head) for name in INPUTS)
                figures, ours = head_check.check(
                    *(q, k, v, method, problem, compute, arithmetic),
                    *found.given_answer(head),
                    begin=begin,
                )
                heads.append({"head": head, **figures})
                if given.write:
                    outputs.append(ours)
        if given.write:
            output = np.stack(outputs).reshape(found.shape)
            files.write_bytes(given.write, save({ANSWER: output}))
        return document.answer(found, method, problem, heads, device=device, written=given.write)


def _refuse(given: argparse.Namespace) -> None:
    """Refuse what the options alone make wrong."""
    if given.tile is None:
        return
    if given.kernel != FUSED.name:
        raise FactsError(
            f"--tile: found {given.tile} for the {given.kernel} kernel, expected it to be left out,"
            " as only the fused kernel has a running maximum; use --kernel fused"
        )
    if not 1 <= given.tile <= TILE_MOST:
        raise FactsError(
            f"--tile: found {given.tile}, expected 1 to {TILE_MOST}; choose a width of those"
        )


def _computing(
    wanted: str | None, method: Method, problem: Problem
) -> tuple[Compute, Arithmetic | None, str | None]:
    """Choose what computes our answer: how, in which arithmetic, and on which device."""
    if wanted is None:
        return emulated(method, problem), None, None
    from fusedfacts.device import agreement  # wgpu, which only this needs

    measured = agreement.opened(wanted, method, problem)
    return measured.compute(method, problem), measured.arithmetic, measured.device.name
