"""Launch one kernel, dispatched in pieces that no watchdog cuts off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fusedfacts.device import adapters
from fusedfacts.device.memory import Buffer, allocated
from fusedfacts.device.pipelines import Device, Variant
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest as kernels

# Multiply-adds of one piece. A driver may take a device away that is busy for two seconds;
# this many take a slow software device a quarter of that.
WORK_A_PIECE = 2**28
WORK_ALONE = 2**24  # of a piece whose workgroups take turns, most of a chip being idle
GROUPS_MOST = adapters.DEFAULT_LIMITS["max-compute-workgroups-per-dimension"]
HINT = "run again, on another device if it persists (`python -m fusedfacts.device` lists)"

Counts = dict[str, dict[str, int]]  # {buffer: {"loads", "stores"}}


def workgroups(device: Device, kernel: str, variant: Variant, n: int) -> int:
    """Count the workgroups that serve `n` rows, or as many keys."""
    takes = kernels.entry(kernel, device.folder)["workgroup_takes"]
    if takes == "row":
        return n
    constants = kernels.constants(kernel, variant.d, variant.key_rows, device.folder)
    return -(-n // constants["BC" if takes == kernels.IN_TURN else "BR"])


def pieces(
    total: int, n: int, d: int, at_least: int = 1, work_most: int = WORK_A_PIECE
) -> list[tuple[int, int]]:
    """Cut a launch of `total` workgroups into pieces: first workgroup and how many.

    A launch is cut by range of tiles, which changes no count; a workgroup whose own work
    is more than `work_most` cannot be cut further. There are `at_least` so many pieces, as
    far as there are workgroups.
    """
    work = max(1, n * n * d // total)
    width = min(GROUPS_MOST, max(1, work_most // work), -(-total // at_least))
    return [(first, min(width, total - first)) for first in range(0, total, width)]


def launch(
    device: Device,
    kernel: str,
    variant: Variant,
    n: int,
    buffers: Mapping[str, Buffer],
    at_least: int = 1,
) -> tuple[Counts, list[int]]:
    """Run a kernel over all its workgroups, cut into `at_least` so many pieces.

    Returns
    -------
    counts : dict
        Elements moved, summed over workgroups in Python's integers; empty where the variant does
        not count.
    ticks : list of int
        What each piece took, in the device's ticks; empty without timestamps.
    """
    kernels.check_length(kernel, n, device.folder)
    manifest = kernels.manifest(device.folder)
    names, slots = manifest["kernels"][kernel]["counters"], manifest["counter_slots"]
    total = workgroups(device, kernel, variant, n)
    in_turn = kernels.entry(kernel, device.folder)["workgroup_takes"] == kernels.IN_TURN
    work = WORK_ALONE if in_turn else WORK_A_PIECE
    # A kernel that does not count still binds its counters.
    words = np.zeros(total * slots if variant.count else slots, dtype=np.uint32)
    ticks: list[int] = []
    counts: Counts = {}
    with allocated(device.handle, {"counts": words}) as counters:
        bound = {**buffers, **counters}
        with adapters.one_sentence(f"kernel {kernel} at n {n}, d {variant.d}", HINT):
            for first, count in pieces(total, n, variant.d, at_least, work):
                ticks += dispatch_kernel(device, kernel, variant, n, bound, first, count)
        if variant.count:
            found = counters["counts"].read().reshape(total, slots)
            for slot, name in enumerate(names):
                buffer, _, access = name.partition(".")
                moved = counts.setdefault(buffer, {"loads": 0, "stores": 0})
                moved[access] = sum(map(int, found[:, slot]))
    return counts, ticks


def dispatch_kernel(
    device: Device,
    kernel: str,
    variant: Variant,
    n: int,
    buffers: Mapping[str, Buffer],
    first: int,
    count: int,
) -> list[int]:
    """Dispatch workgroups `first` to `first + count` of a kernel on its buffers.

    All at once, or one after another, each of which then sees what those before it have stored.
    """
    import wgpu

    entry = kernels.entry(kernel, device.folder)
    bound = {name: buffer.binding() for name, buffer in buffers.items()}
    steps = [(first, count)]
    if entry["workgroup_takes"] == kernels.IN_TURN:
        steps = [(at, 1) for at in range(first, first + count)]

    def resources(at: int) -> dict[int, Any]:
        header = np.array([n, at], dtype=np.uint32)  # the manifest's `launch`
        uniform = device.handle.create_buffer_with_data(data=header, usage=wgpu.BufferUsage.UNIFORM)
        bound["launch"] = {"buffer": uniform, "offset": 0, "size": header.nbytes}
        return {binding["binding"]: bound[binding["name"]] for binding in entry["bindings"]}

    dispatches = [(resources(at), groups) for at, groups in steps]
    return dispatch(device, device.pipeline(kernel, variant), dispatches)


def dispatch(
    device: Device, pipeline: Any, dispatches: Sequence[tuple[dict[int, Any], int]]
) -> list[int]:
    """Dispatch workgroups in one pass, wait, and give the ticks it took, if the device tells.

    WebGPU runs the dispatches of a pass in order, each on what those before it have stored.
    """
    import wgpu

    handle = device.handle
    encoder = handle.create_command_encoder()
    options: dict[str, Any] = {}
    if device.has_timestamps:
        queries = handle.create_query_set(type="timestamp", count=2)
        options["timestamp_writes"] = {
            "query_set": queries,
            "beginning_of_pass_write_index": 0,
            "end_of_pass_write_index": 1,
        }
    compute = encoder.begin_compute_pass(**options)
    compute.set_pipeline(pipeline)
    for resources, count in dispatches:
        entries = [{"binding": at, "resource": resource} for at, resource in resources.items()]
        layout = pipeline.get_bind_group_layout(0)
        compute.set_bind_group(0, handle.create_bind_group(layout=layout, entries=entries))
        compute.dispatch_workgroups(count)
    compute.end()
    # Reading anything back waits for all that was submitted, which wgpu's own wait does not.
    resolved = handle.create_buffer(
        size=16, usage=wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC
    )
    if device.has_timestamps:
        encoder.resolve_query_set(queries, 0, 2, resolved, 0)
    handle.queue.submit([encoder.finish()])
    start, end = np.frombuffer(handle.queue.read_buffer(resolved), np.uint64)
    if end < start:
        raise FactsError(
            "timestamps: found an end before its start, expected the reverse; run again"
        )
    return [int(end) - int(start)] if device.has_timestamps else []
