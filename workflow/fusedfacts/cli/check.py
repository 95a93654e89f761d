"""Compare attention's answer on your own tensors with the exact one, by head.

FILE holds tensors q, k and v of shape (n, d) or (heads, n, d) in float32;
float16 and bfloat16 are widened, which is exact. If it also holds your answer,
as tensor o, that is judged; otherwise the answer that the emulated kernels of
this project compute, or the real ones on a device (--device).

Each element may differ from the exact answer by the bound that
docs/error-bound.md derives; what exceeds it is named, and the verdict is "does
not hold". The bound is of float32 arithmetic throughout: an answer that was
computed in less precision, say with probabilities rounded to float16, exceeds
it, and rightly. Only for how o itself is stored is there an allowance.

Of each head you also see the bytes that the float32 kernels move, how often the
running maximum rose, and how many terms and rows would overflow in fp16 if the
maximum were not subtracted. workflow/schemas/check.schema.json describes every
figure that --json prints, checks.schema.json those of several files; the worst
verdict of several decides.

Save each array as np.ascontiguousarray(x): save_file scrambles transposed ones.
With --device the device's arithmetic is measured first, its exp on 155 million
arguments, for the bound rests on that: some seconds, whatever n is.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

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
    words = "safetensors file with q, k, v, and perhaps o; - is standard input"
    add("files", nargs="+", type=Path, metavar="FILE", help=words)
    words = "whose order of sums sets the bound, and what computes where there is no o; fused by"
    options.add_method(parser, FUSED.name, f"{words} default")
    options.add_causal(parser)
    add(
        "--scale",
        type=options.real,
        metavar="S",
        help="factor of scores; 1 / sqrt(d) by default",
    )
    words = f"rows of a key tile, for fused: 1 to {TILE_MOST:,}; the kernel's own by default,"
    add("--tile", type=options.whole, metavar="BC", help=f"{words} {KEY_TILE_FLOATS:,} / d")
    named = "any, a type, or a part of a name, as `python -m fusedfacts.device` lists them"
    add("--device", metavar="NAME", help=f"run the real kernels on this device: {named}")
    words = "write the answer that was computed to OUT, as tensor o alone"
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
    method = Method(given.method, given.tile)
    heads: list[dict[str, Any]] = []
    outputs: list[Rows] = []
    with tensors.opened(path, name) as found:
        if ANSWER in found.stored and (given.write or given.device):
            wish = "--write" if given.write else "--device"
            raise FactsError(
                f"{found.file}: found tensor o, which is judged so that no answer is computed, and"
                f" {wish}, expected one of the two; leave out the option, or the tensor"
            )
        if given.write:
            safetensors_file.check_target(given.write, path)
        found.check_finite()
        problem = Problem(found.n, found.d, given.causal, given.scale)
        steps = found.heads * head_check.STEPS + (given.device is not None)
        with progress_bar(steps) as begin:
            if given.device is not None:
                begin("measuring the device's arithmetic")
            compute, arithmetic, device = _computing(given.device, method, problem)
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
    if given.method != FUSED.name:
        raise FactsError(
            f"--tile: found {given.tile} with --method {given.method}, expected it to be left out,"
            " as only fused has a running maximum; use --method fused"
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
