"""Rules on what a workgroup takes of WebGPU's default limits: memory and invocations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from fusedfacts.kernels.wgsl.module import Module
from fusedfacts.kernels.wgsl.sizes import UnevaluableError, constants, round_up, size, whole
from fusedfacts.kernels.wgsl.text import Fault, split

# WebGPU's limit is on the sum over all variables, each rounded up to this.
VARIABLE_STEP = 16
BYTES_LIMIT = "max-compute-workgroup-storage-size"
INVOCATIONS_LIMIT = "max-compute-invocations-per-workgroup"
MEND_SIZE = "size it by constants and numbers with + - * / %"


def workgroup_bytes(module: Module) -> int:
    """Bytes of workgroup memory, as WebGPU adds them up.

    Raises
    ------
    UnevaluableError
        If the size of one variable cannot be said.

    Examples
    --------
    >>> from fusedfacts.kernels.wgsl.module import read
    >>> workgroup_bytes(read("var<workgroup> a: array<f32, 5>; var<workgroup> b: f32;"))
    48
    """
    known = constants(module)
    return sum(
        round_up(size(found.type, known), VARIABLE_STEP)
        for found in module.of("var")
        if found.space == "workgroup"
    )


def invocations(module: Module) -> int:
    """Invocations of one workgroup.

    Raises
    ------
    UnevaluableError
        If main does not say them in constants.
    """
    main = module.function("main")
    sizes = dict(main.attributes).get("workgroup_size") if main else None
    if not sizes:
        raise UnevaluableError("no @workgroup_size on main")
    known = constants(module)
    return math.prod(whole(part, known) for part in split(sizes, ",") if part)


def budget_faults(module: Module, limits: Mapping[str, int], at: str) -> Iterator[Fault]:
    """Workgroup memory fits WebGPU's default limit.

    wgpu does not enforce it: it took 64 KiB on a device asked for 16, and only a browser refused.
    """
    tiles = [found for found in module.of("var") if found.space == "workgroup"]
    known = constants(module)
    for tile in tiles:
        try:
            size(tile.type, known)
        except UnevaluableError as fault:
            yield Fault(tile.line, f"{fault}{at}", "a size that can be evaluated", MEND_SIZE)
            return
    most, taken = limits[BYTES_LIMIT], workgroup_bytes(module)
    if taken > most:
        yield Fault(
            tiles[0].line,
            f"{taken:,} bytes of workgroup memory{at}",
            f"at most {most:,}",
            "make the tiles smaller",
        )


def size_faults(module: Module, limits: Mapping[str, int], at: str) -> Iterator[Fault]:
    """A workgroup has LANES invocations, within WebGPU's default limit, and one entry point.

    The loops that fill the tiles step by LANES; with fewer invocations entries stay unfilled,
    silently. A second entry point would escape every rule that speaks of main.
    """
    main = module.function("main")
    line = main.line if main else 1
    for found in module.of("fn"):
        stages = {"compute", "vertex", "fragment"} & dict(found.attributes).keys()
        if bool(stages) != (found is main) or stages - {"compute"}:
            yield Fault(
                found.line,
                f"{found.name} as {'an' if stages else 'no'} entry point",
                "main alone as a @compute entry point",
                "keep one entry point",
            )
    try:
        lanes = invocations(module)
    except UnevaluableError as fault:
        yield Fault(line, f"{fault}{at}", "@workgroup_size(LANES)", MEND_SIZE)
        return
    most, wanted = limits[INVOCATIONS_LIMIT], constants(module)["LANES"]
    if lanes > most:
        expected = f"at most {most}"
    elif lanes != wanted:
        expected = f"LANES, {wanted}"
    else:
        return
    yield Fault(line, f"{lanes} invocations{at}", expected, "write @workgroup_size(LANES)")
