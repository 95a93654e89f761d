"""The gate on the kernels' text: what compilers let pass and a browser, or the counts, would not.

    python -m fusedfacts.kernels.lint [FOLDER]

Each rule is a function on a text as it is run, its line of constants before it, and holds at
every head dimension. Exit code 0 with the table of workgroup memory when all hold, 1 with a
sentence for each fault, 2 when a file cannot be read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.kernels import manifest as kernels
from fusedfacts.kernels.wgsl import access, arithmetic, flow, launch, races, registers
from fusedfacts.kernels.wgsl import budget as limited
from fusedfacts.kernels.wgsl.module import Module, local, read
from fusedfacts.kernels.wgsl.sizes import UnevaluableError
from fusedfacts.kernels.wgsl.text import Fault, UnreadableError
from fusedfacts.terminal import reporting

# What the rules know by name, so that no declaration may give it another meaning.
BUILTIN = {
    flow.BARRIER,
    *flow.REFUSED,
    *flow.PURE,
    *flow.TYPES,
    "atomicAdd",
}


def name_faults(module: Module) -> Iterator[Fault]:
    """A name means one thing: none declared twice in the module, none hidden in a function.

    The other rules go by names; a local COUNT or LANES would pass for the real one.
    """
    taken = set(BUILTIN)
    places = [(found.name, found.line) for found in module.declarations]
    for name, line in places:
        if name in taken:
            yield _taken(name, line)
        taken.add(name)
    for function in module.of("fn"):
        for name, line in local(function):
            if name in taken:
                yield _taken(name, line)


def _taken(name: str, line: int) -> Fault:
    return Fault(line, f"another {name}", "one meaning for each name", "give it another name")


def _faults(kernel: str, d: int, text: str, folder: Path) -> Iterator[Fault]:
    manifest = kernels.manifest(folder)
    entry, limits, at = manifest["kernels"][kernel], manifest["limits"], f" at d {d}"
    # The constants' line has no end, so that lines keep their numbers.
    module = read(kernels.prelude(kernel, d, folder=folder) + text)
    yield from name_faults(module)
    yield from limited.budget_faults(module, limits, at)
    yield from limited.size_faults(module, limits, at)
    yield from access.binding_faults(module, entry, manifest["launch"], limits)
    yield from access.override_faults(module, entry["overrides"])
    yield from access.accessor_faults(module, entry, manifest["bytes_per_element"])
    yield from access.report_faults(module, entry)
    yield from access.hiding_faults(module, entry)
    yield from launch.count_faults(module, entry)
    yield from launch.place_faults(module)
    yield from flow.barrier_faults(module)
    yield from flow.refused_faults(module)
    yield from flow.return_faults(module)
    yield from races.race_faults(module)
    yield from registers.loop_variable_faults(module)
    yield from registers.index_faults(module)
    yield from arithmetic.literal_faults(module)
    yield from arithmetic.order_faults(module)
    yield from arithmetic.self_comparison_faults(module)


def head_dims(kernel: str, folder: Path = kernels.FOLDER) -> list[int]:
    """The head dimensions that the manifest has constants for.

    Raises
    ------
    FactsError
        If there is no such kernel.

    Examples
    --------
    >>> head_dims("fused")
    [16, 32, 64, 128]
    """
    served = kernels.manifest(folder)["kernels"]
    if kernel not in served:
        raise FactsError(
            f"kernel: found {kernel!r}, expected one of {', '.join(sorted(served))}; correct it"
        )
    return sorted(int(d) for d in served[kernel]["constants"])


def check(kernel: str, text: str, folder: Path = kernels.FOLDER) -> list[str]:
    """A sentence for each fault of a kernel's text, in the order of its lines.

    Parameters
    ----------
    kernel : str
    text : str
    folder : Path, optional
        Where the manifest lies that the text must agree with.

    Raises
    ------
    FactsError
        If there is no such kernel.

    Examples
    --------
    >>> text = kernels.text("softmax")
    >>> check("softmax", text)
    []
    >>> sentence = check("softmax", text.replace("weight[0]", "weight[lane]", 1))[0]
    >>> print(sentence[sentence.index("found") : sentence.index(";")])
    found `weight[lane]`, a dynamically indexed private array, expected an index of constants and
    variables of loops between constants
    """
    found: list[Fault] = []
    for d in head_dims(kernel, folder):
        try:
            found += _faults(kernel, d, text, folder)
        except UnreadableError as unreadable:
            found.append(unreadable.fault)
    file = kernels.manifest(folder)["kernels"][kernel]["file"]
    return [
        f"{file}:{fault.line}: found {fault.found}, expected {fault.expected}; {fault.mend}"
        for fault in sorted(dict.fromkeys(found), key=lambda fault: fault.line)
    ]


def budget(kernel: str, d: int, folder: Path = kernels.FOLDER) -> dict[str, int]:
    """What a workgroup takes of WebGPU's limits.

    Raises
    ------
    FactsError
        If the text does not say it.

    Examples
    --------
    >>> budget("fused", 64)
    {'workgroup_bytes': 16384, 'invocations': 32, 'bindings': 6}
    """
    text = kernels.text(kernel, folder)
    try:
        module = read(kernels.prelude(kernel, d, folder=folder) + text)
        return {
            "workgroup_bytes": limited.workgroup_bytes(module),
            "invocations": limited.invocations(module),
            "bindings": len(access.resources(module)),
        }
    except (UnreadableError, UnevaluableError):
        raise ClaimError(*check(kernel, text, folder)) from None


def check_all(folder: Path = kernels.FOLDER) -> dict[str, dict[int, dict[str, int]]]:
    """The budget of every kernel at every head dimension, {kernel: {d: budget}}.

    Raises
    ------
    ClaimError
        With a sentence for each fault of any of them.
    """
    served = sorted(kernels.manifest(folder)["kernels"])
    problems = [
        line for kernel in served for line in check(kernel, kernels.text(kernel, folder), folder)
    ]
    if problems:
        raise ClaimError(*problems)
    return {
        kernel: {d: budget(kernel, d, folder) for d in head_dims(kernel, folder)}
        for kernel in served
    }


def rows(table: dict[str, dict[int, dict[str, Any]]], folder: Path = kernels.FOLDER) -> list[str]:
    """The budgets as lines of aligned text."""
    most = kernels.manifest(folder)["limits"][limited.BYTES_LIMIT]
    heading = f"{'kernel':<12}{'d':>4}  {f'bytes of {most:,}':>16}  {'invocations':>11}"
    return [
        heading,
        *(
            f"{kernel:<12}{d:>4}  {taken['workgroup_bytes']:>16,}  {taken['invocations']:>11}"
            for kernel, by_d in table.items()
            for d, taken in by_d.items()
        ),
    ]


def main(arguments: list[str]) -> None:
    """Check the kernels of a folder and print their budgets."""
    folder = Path(arguments[0]) if arguments else kernels.FOLDER
    print("\n".join(rows(check_all(folder), folder)))


if __name__ == "__main__":
    with reporting():
        main(sys.argv[1:])
