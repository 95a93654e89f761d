"""The gate on the kernels' text: what compilers let pass and a browser, or the counts, would not.

    python -m fusedfacts.kernels.lint [FOLDER]

Exit code 0 when every rule holds at every head dimension, 1 with a sentence for each fault, 2
when a file cannot be read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fusedfacts.attention.problem import HEAD_DIMS
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import interface
from fusedfacts.kernels import manifest as kernels
from fusedfacts.kernels.wgsl import arithmetic, counting, races, registers, sizes, storage
from fusedfacts.kernels.wgsl.module import Module, name_faults, read
from fusedfacts.kernels.wgsl.text import Fault, UnreadableError
from fusedfacts.terminal import reporting

BYTES_LIMIT = "max-compute-workgroup-storage-size"


@cache
def _given(kernel: str, folder: Path) -> Module:
    return read(interface.skeleton(kernel, folder))


def _faults(kernel: str, text: str, folder: Path) -> Iterator[Fault]:
    manifest, given = kernels.manifest(folder), _given(kernel, folder)
    module = read(text)
    of_size = {d: kernels.constants(kernel, d, folder=folder) for d in HEAD_DIMS}
    constants = {"SCALE"}.union(*of_size.values())
    yield from name_faults(module, constants)
    for known in of_size.values():
        yield from sizes.memory_faults(module, known, manifest["limits"][BYTES_LIMIT])
    yield from counting.interface_faults(module, given)
    yield from counting.counting_faults(module, given)
    yield from races.barrier_faults(module)
    yield from races.race_faults(module, constants)
    in_turn = kernels.entry(kernel, folder)["workgroup_takes"] == kernels.IN_TURN
    yield from storage.storage_faults(module, in_turn)
    yield from registers.loop_variable_faults(module)
    yield from registers.index_faults(module, constants)
    yield from arithmetic.literal_faults(module)
    yield from arithmetic.order_faults(module)
    yield from arithmetic.self_comparison_faults(module)


def check(kernel: str, text: str, folder: Path = kernels.FOLDER) -> list[str]:
    """Write a sentence for each fault of a kernel's text, in the order of its lines.

    The folder is that of the manifest that the text must agree with.

    >>> text = kernels.text("softmax")
    >>> check("softmax", text)
    []
    >>> sentence = check("softmax", text.replace("weight[0]", "weight[lane]", 1))[0]
    >>> print(sentence[sentence.index("found") : sentence.index(";")])
    found `weight[lane]`, a dynamically indexed private array, expected an index of constants and
    variables of loops between constants
    """
    try:
        found = list(_faults(kernel, text, folder))
    except UnreadableError as unreadable:
        found = [Fault(*unreadable.args)]
    file = kernels.entry(kernel, folder)["file"]
    return [
        f"{file}:{fault.line}: found {fault.found}, expected {fault.expected}; {fault.hint}"
        for fault in sorted(dict.fromkeys(found), key=lambda fault: fault.line)
    ]


def _budget(text: str, constants: dict[str, int]) -> dict[str, int]:
    taken = sizes.workgroup_bytes(read(text), constants)
    return {"workgroup_bytes": taken, "invocations": constants["LANES"]}


def budgets(folder: Path = kernels.FOLDER) -> dict[str, dict[int, dict[str, int]]]:
    """Check every kernel, and compute what a workgroup takes: {kernel: {d: budget}}.

    Raises
    ------
    ClaimError
        With a sentence for each fault of any of them.
    """
    names = sorted(kernels.manifest(folder)["kernels"])
    texts = {kernel: kernels.text(kernel, folder) for kernel in names}
    problems = [line for kernel, text in texts.items() for line in check(kernel, text, folder)]
    if problems:
        raise ClaimError(*problems)
    return {
        kernel: {d: _budget(text, kernels.constants(kernel, d, folder=folder)) for d in HEAD_DIMS}
        for kernel, text in texts.items()
    }


if __name__ == "__main__":
    with reporting():
        budgets(*map(Path, sys.argv[1:]))
