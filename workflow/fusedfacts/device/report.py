"""Report which device it is, its arithmetic, whether the kernels hold, and how long they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wgpu

from fusedfacts.attention.problem import HEAD_DIMS, Rows
from fusedfacts.device import adapters, checks, consistent, measure, selftest, timing
from fusedfacts.device.agreement import MeasuredDevice
from fusedfacts.device.pipelines import Device
from fusedfacts.device.run import attention
from fusedfacts.documents import files, schema
from fusedfacts.numerics import rng

SCHEMA_VERSION = 1
TIMED_PASSES = 24  # enough for their greatest common divisor to settle
HINT = "make it again with `snakemake --cores 1 device`"


def described(device: Device) -> dict[str, str]:
    """Describe the adapter as the driver names it."""
    info = device.adapter.info
    return {
        "name": device.name,
        "vendor": str(info["vendor"]),
        "driver": str(info["description"]),
        "type": str(info["adapter_type"]),
        "backend": str(info["backend_type"]),
    }


def kernel_hashes(device: Device) -> dict[str, str]:
    """Hash the kernels' texts and their manifest, by SHA-256."""
    paths = sorted(device.folder.glob("*.[wj]*"))
    return {path.name: files.sha256(path.read_bytes()) for path in paths}


def pass_ticks(device: Device) -> list[int]:
    """Measure the ticks of a few small passes, from which the timer's step follows."""
    found: list[int] = []
    for n in range(1, 1 + TIMED_PASSES):
        q, k, v = (rng.normal(measure.SEED, stream, (n, 16)) for stream in range(3))
        found += attention(device, "fused", q, k, v).ticks["fused"]
    return found


def steps(sizes: list[tuple[int, int]], time_kernels: bool) -> int:
    """Count how often `report` calls its `progress`."""
    return 3 + len(HEAD_DIMS) + len(sizes) * (2 if time_kernels else 1)


def report(
    device: Device,
    probe: tuple[Rows, Rows, Rows],
    sizes: list[tuple[int, int]],
    *,
    seed: int,
    control_key_rows: int,
    time_kernels: bool,
    progress: Callable[[str], None],
    repeats: int = timing.REPEATS,
) -> dict[str, Any]:
    """Run the self-test and all checks, and time the kernels if that is wanted.

    A device on which the kernels do not hold has no report: the first check that fails raises.

    Parameters
    ----------
    probe : three ndarrays of float32, shape (heads, n, d)
        Q, K and V of the model's probe sentence.
    sizes, seed
        The sweep's (n, d), and the seed of its inputs.
    control_key_rows : int
        Rows of a key tile in the broken control.
    progress : callable
        Takes one line of what is being done.
    """
    progress("self-test")
    measured = MeasuredDevice(device, selftest.run(device, pass_ticks(device)))
    ragged = []
    for d in HEAD_DIMS:
        progress(f"ragged grid, d {d}")
        ragged.append({"d": d, **checks.ragged(measured, checks.ragged_cases(d))})
    progress("kinds of input, and the longest row")
    kinds = [checks.kind(measured, name) for name in checks.KINDS]
    longest = checks.longest_row(measured)
    published: list[dict[str, Any]] = []
    for n, d in sizes:
        progress(f"checks at n {n}, d {d}")
        published += checks.published_size(measured, n, d, seed)
    progress("the model's own tensors, and the broken control")
    heads = [
        checks.model_head(measured, q, k, v, control_key_rows, head)
        for head, (q, k, v) in enumerate(zip(*probe, strict=True))
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "adapter": described(device),
        "runner": {"name": "wgpu-py", "version": str(wgpu.__version__)},
        "limits": adapters.DEFAULT_LIMITS,
        "kernels": kernel_hashes(device),
        "self_test": measured.self_test,
        "checks": {
            "counts_equal": True,
            "bits_equal": True if measured.bits else None,
            "repeats_equal": True,
            "counting_changes_no_bit": True,
            "ragged": ragged,
            "kinds": kinds,
            "longest_row": longest,
            "sizes": published,
            "control_key_rows": control_key_rows,
            "heads": heads,
        },
        "timings": timing.results(
            device, sizes, seed, progress, repeats, measured.self_test["timer"]["step_seconds"]
        )
        if time_kernels
        else None,
    }
    name = f"report of {device.name}"
    schema.validate(document, "device", name, HINT)
    consistent.check(document, name)
    return document
