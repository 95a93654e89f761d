"""The part of a kernel's text that kernels/manifest.json gives: how it is bound, counts and starts.

    python -m fusedfacts.kernels.interface KERNEL

prints it as a kernel that does nothing yet, for the file of a new one. It stands in each file, so
that a file is complete and is what Python and a browser run; the gate (`lint`) holds each file to
it, token by token, so that no kernel counts anything but what it moves.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fusedfacts.kernels import manifest as kernels
from fusedfacts.terminal import reporting

WORD = 4  # bytes of the float32 and u32 that counts are in
COMMENT_COLUMN = 33
OVERRIDES = {
    "COUNT": "count every access to global memory",
    "CAUSAL": "a query looks only at keys up to its own",
    "RESCALE": "false: the total is not shrunk, the broken control",
}
ENTRY = """@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
"""
# What a launch that is cut into several says of a workgroup, under a name of the kernel's choice.
PLACE = "launch.first_workgroup + group.x"


def _variable(binding: Mapping[str, Any]) -> str:
    tensor = binding["shape"] not in ("launch", "counts")
    return f"{binding['name']}_memory" if tensor else str(binding["name"])


def _binding(binding: Mapping[str, Any]) -> str:
    element, space = f"array<{binding['element']}>", f"storage, {binding['access']}"
    if binding["access"] == "uniform":
        element, space = binding["element"], "uniform"
    place = f"@group(0) @binding({binding['binding']})"
    return f"{place} var<{space}> {_variable(binding)}: {element};\n"


def _accessor(counter: str, binding: Mapping[str, Any], moved: int) -> str:
    """A function that moves one element and, where COUNT says so, counts what it moved."""
    name, kind = counter.split("_")
    element, memory = binding["element"], _variable(binding)
    count = f"    if COUNT {{ {counter} += {moved}u; }}\n"
    if kind == "loads":
        return f"fn load_{name}(i: u32) -> {element} {{\n{count}    return {memory}[i];\n}}\n"
    return f"fn store_{name}(i: u32, value: {element}) {{\n{count}    {memory}[i] = value;\n}}\n"


def skeleton(kernel: str, folder: Path = kernels.FOLDER) -> str:
    r"""Write a kernel that is bound, started and counted as the manifest says, and does nothing.

    >>> print(skeleton("softmax").split("\n\n")[4])
    fn load_s(i: u32) -> f32 {
        if COUNT { s_loads += 1u; }
        return s_memory[i];
    }
    """
    manifest, entry = kernels.manifest(folder), kernels.entry(kernel, folder)
    overrides = "".join(
        f"override {name}: bool = {str(entry['overrides'][name]).lower()};".ljust(COMMENT_COLUMN)
        + f"// {comment}\n"
        for name, comment in OVERRIDES.items()
        if name in entry["overrides"]
    )
    words = ", ".join(f"{word}: u32" for word in manifest["launch"])
    counters = [counter.replace(".", "_") for counter in entry["counters"]]
    variables = "".join(f"var<private> {counter}: u32;\n" for counter in counters)
    words_of = {name: size // WORD for name, size in manifest["bytes_per_element"].items()}
    bindings = {binding["name"]: binding for binding in entry["bindings"]}
    moved = [bindings[counter[0]] for counter in counters]
    adds = "".join(
        f"    atomicAdd(&counts[workgroup * SLOTS + {slot}u], {counter});\n"
        for slot, counter in enumerate(counters)
    )
    parts = [
        overrides,
        f"struct Launch {{ {words} }}\n",
        "".join(map(_binding, entry["bindings"])),
        f"// Elements moved by this invocation.\n{variables}",
        *(_accessor(c, b, words_of[b["element"]]) for c, b in zip(counters, moved, strict=True)),
        f"fn report_counts(workgroup: u32) {{\n{adds}}}\n",
        f"{ENTRY}    let n = launch.n;\n    let workgroup = {PLACE};\n"
        "    if COUNT { report_counts(workgroup); }\n}\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    with reporting():
        print(skeleton((sys.argv[1:2] or [""])[0]), end="")
