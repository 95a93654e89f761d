"""Hold an answer on tensors of your own against the exact one, head by head.

FILE holds tensors q, k and v of shape (n, d) or (heads, n, d) in float32;
float16 and bfloat16 are widened, which is exact. The emulated kernel's answer
is judged, or a device's (--device), or yours, if the file holds one as tensor
o. Each element may err by what docs/error-bound.md derives for the order of
sums of the chosen kernel; the check says which do not keep to it.

Save each array as np.ascontiguousarray(x): a transposed one is scrambled by
save_file. Of several files each is judged, and the worst decides; then --json
is what workflow/schemas/checks.schema.json says.

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
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.numerics import subnormals
from fusedfacts.tensor_check import (
    document,
    header,
    safetensors_file,
    several,
    standard_input,
    tensors,
)
from fusedfacts.tensor_check import head as head_check
from fusedfacts.tensor_check.header import ANSWER, INPUTS
from fusedfacts.terminal import Answer, progress_bar

TILE_MOST = header.N_MOST  # a tile of the longest sequence holds every key at once


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    words = "safetensors files with q, k, v, and perhaps o; - is standard input"
    add("files", nargs="+", type=Path, metavar="FILE", help=words)
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
    """Check every file; of several each is judged, whatever the others are."""
    _refuse(given)
    subnormals.require_kept()
    if len(given.files) == 1:
        return _named(given, given.files[0])
    found: list[tuple[str, Answer | FactsError]] = []
    for path in given.files:
        try:
            found.append((str(path), _named(given, path)))
        except ClaimError:
            raise  # our own counts: no fault of the file
        except FactsError as error:
            found.append((str(path), error))
    return several.answer(found)


def _named(given: argparse.Namespace, path: Path) -> Answer:
    """Check a file, or standard input."""
    if str(path) != standard_input.WORD:
        return _check(given, path)
    with standard_input.spooled() as copy:
        return _check(given, copy, standard_input.NAME)


def _check(given: argparse.Namespace, path: Path, name: str | None = None) -> Answer:
    """Check every head of a file."""
    method = Method(given.kernel, given.tile)
    heads: list[dict[str, Any]] = []
    outputs: list[Rows] = []
    with tensors.opened(path, name) as found:
        if ANSWER in found.stored and (given.write or given.device):
            wish = "--write, our answer" if given.write else "--device, a device's answer"
            raise FactsError(
                f"{found.file}: found tensor o, which is judged instead of ours, and {wish},"
                " expected one of the two; leave out the option, or the tensor"
            )
        if given.write:
            safetensors_file.check_target(given.write, path)
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
    """Refuse what the words alone make wrong."""
    inputs = given.files.count(Path(standard_input.WORD))
    if inputs > 1:
        raise FactsError(f"-: found {inputs} times, expected standard input once; name it once")
    if given.write and len(given.files) > 1:
        raise FactsError(
            f"--write: found {len(given.files)} files to check, expected one, whose answer is"
            " written; check one at a time"
        )
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
