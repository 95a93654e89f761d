"""Hold an answer of attention on your own tensors to a bound of its own precision.

FILE holds tensors q, k and v, and what is to be judged: o, an answer, or lse,
the natural logarithm of each row's total, or both. A file without either is
answered by the emulated kernels of this project, or by the real ones on a
device (--device), where these serve its shapes.

Each element may differ from the exact answer by the bound of its recipe, which
says what is summed, stored and rounded in which precision (docs/error-bound.md
derives it); what exceeds it is named, and the verdict is "does not hold". By
default the formats of q, k, v and o choose the recipe; --recipe names another,
or a file that says in what yours differs from one with a name. Where an answer
would hold after a common mistake (another scale, a mask off by one), that is
named, too.

Queries and keys may differ in number, and a head of k and v may serve several
of q. Where shapes leave a doubt whether heads or queries come first, --layout
is asked for. Other tensors that are read: mask (bool, True where a query sees a
key), bias (added to scores), sink (a score a head without a value).

Of each head that our kernels serve you also see the bytes that they move in
float32, how often the running maximum rose, and what would overflow in fp16 if
the maximum were not subtracted. workflow/schemas/check.schema.json describes
all that --json prints, checks.schema.json that of several files; the worst
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
from fusedfacts.cli import call_options, options
from fusedfacts.documents import files
from fusedfacts.emulator.methods import FUSED, Compute, Method, emulated
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.figures.error_map import error_map
from fusedfacts.judging import calls
from fusedfacts.judging.calls import Call
from fusedfacts.judging.layout import N_MOST
from fusedfacts.numerics import subnormals
from fusedfacts.tensor_check import (
    document,
    safetensors_file,
    served,
    several,
    standard_input,
    tensors,
)
from fusedfacts.tensor_check import head as heads_of
from fusedfacts.tensor_check.header import ANSWERS, INPUTS
from fusedfacts.tensor_check.tensors import Tensors
from fusedfacts.terminal import Answer, progress_bar

TILE_MOST = N_MOST  # a tile of the longest sequence holds every key at once


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    words = "safetensors file with q, k, v, and o or lse to judge; - is standard input"
    add("files", nargs="+", type=Path, metavar="FILE", help=words)
    call_options.add(parser)
    words = "which of our kernels computes where there is no answer, and is counted; fused by"
    options.add_method(parser, None, f"{words} default")
    words = (
        f"rows of its key tile, not for unfused: 1 to {TILE_MOST:,}; the kernel's own by default,"
    )
    add("--tile", type=options.whole, metavar="BC", help=f"{words} {KEY_TILE_FLOATS:,} / d")
    named = "any, a type, or a part of a name, as `python -m fusedfacts.device` lists them"
    add("--device", metavar="NAME", help=f"run the real kernels on this device: {named}")
    words = "write the answer that was computed to OUT, as tensor o alone"
    add("--write", type=Path, metavar="OUT", help=words)
    words = "draw the worst head's errors over bounds to OUT, as SVG"
    add("--picture", type=Path, metavar="OUT", help=words)


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
    with tensors.opened(path, name, given.names) as found:
        answers = [name for name in ANSWERS if name in found.named]
        _refuse_beside(given, found.file, answers)
        for target in filter(None, (given.write, given.picture)):
            safetensors_file.check_target(target, path)
        with found.blamed():
            call = calls.checked(found.named, given.layout, call_options.pattern(given))
            if call.heads > document.HEADS_MOST:
                raise FactsError(
                    f"heads: found {call.heads} of all entries, expected at most"
                    f" {document.HEADS_MOST}; save them in several files, which one check takes"
                )
        method = _method(given, call, found.file, judges=bool(answers))
        if answers:
            return _judged(given, found, call, method)
        assert method is not None
        return _computed(given, found.file, call, method)


def _judged(given: argparse.Namespace, found: Tensors, call: Call, method: Method | None) -> Answer:
    """Judge the answer of a file."""
    recipe = call.recipe(given.recipe)
    digits = heads_of.DIGITS_64 if call.formats.get("o") == "float64" else heads_of.DIGITS
    with progress_bar(
        call.steps(hidden=given.hidden) + (0 if method is None else call.heads)
    ) as begin:
        with found.blamed():
            judgement = calls.judgement(call, recipe, begin, hidden=given.hidden)
        if given.picture:
            files.write_bytes(given.picture, error_map(judgement).encode())
        heads = [heads_of.given(head, digits) for head in judgement.heads]
        if method is not None:
            for index, figures in enumerate(heads):
                begin(f"scores of head {index}")
                q, k, _ = _inputs(call, index)
                figures["kernel"] = heads_of.kernel(q, k, method, served.problem(call))
    return document.answer(found.file, call, heads, judgement=judgement, method=method)


def _computed(given: argparse.Namespace, file: str, call: Call, method: Method) -> Answer:
    """Compute our own answer, and judge that."""
    problem = served.problem(call)
    heads: list[dict[str, Any]] = []
    outputs: list[Rows] = []
    with progress_bar(call.heads * heads_of.STEPS + (given.device is not None)) as begin:
        if given.device is not None:
            begin("measuring the device's arithmetic")
        compute, arithmetic, device = _computing(given.device, method, problem)
        for index in range(call.heads):
            figures, ours = heads_of.computed(
                *_inputs(call, index), method, problem, compute, arithmetic, begin
            )
            heads.append(figures)
            if given.write:
                outputs.append(ours)
    if given.write:
        files.write_bytes(given.write, save({"o": _laid_out(call, outputs)}))
    return document.answer(
        file, call, heads, judgement=None, method=method, device=device, written=given.write
    )


def _inputs(call: Call, index: int) -> tuple[Rows, Rows, Rows]:
    """Take one head of q, k and v in float32, which our kernels compute in, exactly."""
    q, k, v = (call.part(name, index).astype(np.float32) for name in INPUTS)
    return q, k, v


def _laid_out(call: Call, outputs: list[Rows]) -> Rows:
    """Put the heads of an answer where the axes of q have them."""
    sizes = call.sizes
    whole = np.stack(outputs).reshape(sizes.batch, sizes.heads, sizes.n_q, sizes.d_v)
    if sizes.layout.endswith("nhd"):
        whole = whole.swapaxes(1, 2)
    return np.ascontiguousarray(whole).reshape(call.tensors["q"].shape)


def _refuse(given: argparse.Namespace) -> None:
    """Refuse what the words alone make wrong."""
    inputs = given.files.count(Path(standard_input.WORD))
    if inputs > 1:
        raise FactsError(f"-: found {inputs} times, expected standard input once; name it once")
    for wish, target in (("--write", given.write), ("--picture", given.picture)):
        if target and len(given.files) > 1:
            raise FactsError(
                f"{wish}: found {len(given.files)} files to check, expected one, of which that is"
                " written; check one at a time"
            )
    call_options.refuse(given)
    if given.tile is None:
        return
    if given.method and not Method(given.method).online:
        raise FactsError(
            f"--tile: found {given.tile} with --method {given.method}, expected it to be left out,"
            " as that has no running maximum; use --method fused"
        )
    if not 1 <= given.tile <= TILE_MOST:
        raise FactsError(
            f"--tile: found {given.tile}, expected 1 to {TILE_MOST}; choose a width of those"
        )


def _refuse_beside(given: argparse.Namespace, file: str, answers: list[str]) -> None:
    """Refuse options that are of an answer to compute, beside one to judge, and the reverse."""
    if answers and (given.write or given.device):
        wish = "--write" if given.write else "--device"
        raise FactsError(
            f"{file}: found tensor {answers[0]}, which is judged so that no answer is computed, and"
            f" {wish}, expected one of the two; leave out the option, or the tensor"
        )
    asked = ("--recipe", given.recipe), ("--hidden", given.hidden), ("--picture", given.picture)
    unheard = [name for name, value in asked if value not in (None, False)]
    if unheard and not answers:
        raise FactsError(
            f"{file}: found {unheard[0]} and neither o nor lse, expected an answer to judge, as our"
            " own kernels have an arithmetic of their own; save o, or leave the option out"
        )


def _method(given: argparse.Namespace, call: Call, file: str, *, judges: bool) -> Method | None:
    """Choose which of our kernels is meant; None where none serves a call that needs none."""
    unserved = served.unserved(call)
    if unserved is None:
        return Method(given.method or FUSED.name, given.tile)
    if not judges:
        raise FactsError(
            f"{file}: found neither o nor lse, and {unserved}, which our own kernels do not serve,"
            f" expected {served.SERVED}; save the answer of yours, as o, to have it judged"
        )
    wish = "--method" if given.method else "--tile" if given.tile else None
    if wish:
        raise FactsError(
            f"{file}: found {unserved}, which our own kernels do not serve, and {wish}, expected it"
            " to be left out, as none of them is counted; --recipe is what sets a bound"
        )
    return None


def _computing(
    wanted: str | None, method: Method, problem: Problem
) -> tuple[Compute, Arithmetic | None, str | None]:
    """Choose what computes our answer: how, in which arithmetic, and on which device."""
    if wanted is None:
        return emulated(method, problem), None, None
    from fusedfacts.device import agreement  # wgpu, which only this needs

    measured = agreement.opened(wanted, method, problem)
    return measured.compute(method, problem), measured.arithmetic, measured.device.name
