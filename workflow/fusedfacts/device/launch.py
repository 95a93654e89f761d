"""One launch of one kernel, dispatched in pieces that no watchdog cuts off."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.device import adapters
from fusedfacts.device.memory import Buffer
from fusedfacts.device.pipelines import Device, Variant
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest as kernels

# Multiply-adds of one dispatch. A driver may take a device away that is busy for two seconds;
# this many take a slow software device a quarter of that.
WORK_A_DISPATCH = 2**28
GROUPS_MOST = adapters.DEFAULT_LIMITS["max-compute-workgroups-per-dimension"]
MEND_DEVICE = "run again, on another device if it persists (`python -m fusedfacts.device` lists)"

Counts = dict[str, dict[str, int]]


def workgroups(device: Device, kernel: str, n: int, d: int) -> int:
    """How many workgroups serve `n` rows."""
    if kernels.manifest(device.folder)["kernels"][kernel]["workgroup_takes"] == "row":
        return n
    return -(-n // kernels.constants(kernel, d, folder=device.folder)["BR"])


def pieces(total: int, n: int, d: int, at_least: int = 1) -> list[tuple[int, int]]:
    """The dispatches of a launch of `total` workgroups: first workgroup and how many.

    A launch is cut by range of query tiles, which changes no count; a workgroup whose own work
    is more than `WORK_A_DISPATCH` cannot be cut further.

    Parameters
    ----------
    total, n, d : int
    at_least : int
        Pieces wanted, as far as there are workgroups.
    """
    work = max(1, n * n * d // total)
    width = min(GROUPS_MOST, max(1, WORK_A_DISPATCH // work), -(-total // at_least))
    return [(first, min(width, total - first)) for first in range(0, total, width)]


def launch(
    device: Device,
    kernel: str,
    variant: Variant,
    n: int,
    buffers: dict[str, Buffer],
    at_least: int = 1,
) -> tuple[Counts | None, list[int] | None]:
    """Run a kernel over all its workgroups.

    Parameters
    ----------
    device : Device
    kernel : str
    variant : Variant
    n : int
        Sequence length.
    buffers : dict
        The tensors that the kernel binds, by name.
    at_least : int
        Dispatches to cut the launch into.

    Returns
    -------
    counts : dict or None
        Elements moved, {buffer: {"loads", "stores"}}, summed over workgroups in Python's
        integers; None where the variant does not count.
    ticks : list of int or None
        What each dispatch took, in the device's ticks; None without timestamps.

    Raises
    ------
    FactsError
        If n is too long for the kernel, or the device fails.
    """
    manifest = kernels.manifest(device.folder)
    kernels.check_length(kernel, n, device.folder)
    entry, slots = manifest["kernels"][kernel], manifest["counter_slots"]
    pipeline = device.pipeline(kernel, variant)
    total = workgroups(device, kernel, n, variant.d)
    # A kernel that does not count still binds its counters.
    words = np.zeros(total * slots if variant.count else slots, dtype=np.uint32)
    counters = Buffer(device.handle, "counts", words)
    bound = {**buffers, "counts": counters}
    ticks: list[int] = []
    try:
        with adapters.one_sentence(f"kernel {kernel} at n {n}, d {variant.d}", MEND_DEVICE):
            for first, count in pieces(total, n, variant.d, at_least):
                header = np.array([n, first], dtype=np.uint32)
                ticks += dispatch(device, pipeline, entry["bindings"], header, bound, count)
        counts = None
        if variant.count:
            found = counters.read().reshape(total, slots)
            sums = [sum(map(int, found[:, slot])) for slot in range(len(entry["counters"]))]
            counts = _named(entry["counters"], sums)
    finally:
        counters.release()
    return counts, (ticks if device.has_timestamps else None)


def _named(counters: list[str], sums: list[int]) -> Counts:
    counts: Counts = {}
    for counter, elements in zip(counters, sums, strict=True):
        buffer, _, access = counter.partition(".")
        counts.setdefault(buffer, {"loads": 0, "stores": 0})[access] = elements
    return counts


def dispatch(
    device: Device,
    pipeline: Any,
    bindings: list[dict[str, Any]],
    words: NDArray[np.uint32],
    buffers: dict[str, Buffer],
    count: int,
) -> list[int]:
    """One dispatch of `count` workgroups, submitted and waited for; its ticks, if there are any.

    `words` are those of the manifest's `launch`.
    """
    import wgpu

    handle = device.handle
    uniform = handle.create_buffer_with_data(data=words, usage=wgpu.BufferUsage.UNIFORM)
    launch_binding = {"buffer": uniform, "offset": 0, "size": words.nbytes}
    group = handle.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[
            {
                "binding": entry["binding"],
                "resource": launch_binding
                if entry["name"] == "launch"
                else buffers[entry["name"]].binding(),
            }
            for entry in bindings
        ],
    )
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
    compute.set_bind_group(0, group)
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
    if not device.has_timestamps:
        return []
    if end < start:
        raise FactsError(
            "timestamps: found an end before its start, expected the reverse; run again"
        )
    return [int(end) - int(start)]
