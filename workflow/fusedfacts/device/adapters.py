"""Find a device, choose one, open it with WebGPU's default limits."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fusedfacts.errors import FactsError
from fusedfacts.kernels.manifest import manifest

# Every limit of the WebGPU specification (section 3.6.2) that a compute kernel can meet, at its
# default. wgpu would silently fill in the adapter's own maxima for those that are not named.
DEFAULT_LIMITS: dict[str, int] = {
    **manifest()["limits"],  # those that our kernels are made to fit
    "max-bind-groups": 4,
    "max-bindings-per-bind-group": 1000,
    "max-buffer-size": 268_435_456,
    "max-compute-workgroup-size-x": 256,
    "max-compute-workgroup-size-y": 256,
    "max-compute-workgroup-size-z": 64,
    "max-dynamic-storage-buffers-per-pipeline-layout": 4,
    "max-dynamic-uniform-buffers-per-pipeline-layout": 8,
    "max-uniform-buffer-binding-size": 65_536,
    "max-uniform-buffers-per-shader-stage": 12,
    "min-storage-buffer-offset-alignment": 256,
    "min-uniform-buffer-offset-alignment": 256,
}
ANY = "any"
TYPES = {"DiscreteGPU": 0, "IntegratedGPU": 1, "VirtualGPU": 2, "CPU": 3}  # most wanted first
HINT = (
    "run `apt-get install mesa-vulkan-drivers` for a software device, or install the graphics"
    " card's Vulkan driver"
)
HINT_LOST = "run again; if the device is lost again, choose another (`python -m fusedfacts.device`)"
QUOTED_MOST = 400  # characters of a compiler's message that a sentence can carry


def _headless() -> None:
    """Give Vulkan's loader the folder that a login session would have given it."""
    if os.name == "posix" and not os.environ.get("XDG_RUNTIME_DIR"):
        folder = tempfile.mkdtemp(prefix="runtime-")
        os.environ["XDG_RUNTIME_DIR"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


@contextmanager
def one_sentence(what: str, hint: str) -> Iterator[None]:
    """Turn whatever wgpu raises into a FactsError.

    wgpu's own errors derive from Exception in several ways (validation, memory, a panic of
    its library, a lost device), so all of them are caught here and nowhere else.
    """
    try:
        yield
    except (FactsError, ModuleNotFoundError):  # wgpu itself is missing, which another tells
        raise
    except Exception as fault:
        lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
        message = "; ".join(lines)[:QUOTED_MOST] or type(fault).__name__
        if any(word in message.lower() for word in ("lost", "destroyed")):
            hint = HINT_LOST
        raise FactsError(f"{what}: the device said: {message}; {hint}") from None


def available() -> list[Any]:
    """List all adapters, the most wanted first, without the OpenGL twin of a better one."""
    _headless()
    with one_sentence("wgpu", HINT):
        import wgpu

        found = [(a, a.info) for a in wgpu.gpu.enumerate_adapters_sync()]
    better = {info["device"] for _, info in found if info["backend_type"] != "OpenGL"}
    return [
        adapter
        for adapter, info in sorted(
            found, key=lambda pair: TYPES.get(pair[1]["adapter_type"], len(TYPES))
        )
        if info["backend_type"] != "OpenGL" or info["device"] not in better
    ]


def describe(adapter: Any) -> str:
    """Describe an adapter in one line: name, type, backend, driver."""
    info = adapter.info
    return (
        f"{info['device']} ({info['adapter_type']}, {info['backend_type']}, {info['description']})"
    )


def slug(name: str) -> str:
    """Make a file name of a device's name.

    >>> slug("llvmpipe (LLVM 15.0.6, 256 bits)")
    'llvmpipe-llvm-15-0-6-256-bits'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "device"


def choose(wanted: str = ANY) -> Any:
    """Choose the adapter of a type ("cpu", "discretegpu") or a part of a name, or the first."""
    found = available()
    if not found:
        raise FactsError(f"adapter: no device found, expected one that WebGPU can use; {HINT}")
    sought = str(wanted).strip().lower() or "(no name)"
    for adapter in found:
        info = adapter.info
        if sought in (ANY, info["adapter_type"].lower()) or sought in info["device"].lower():
            return adapter
    there = "; ".join(describe(adapter) for adapter in found)
    raise FactsError(
        f"adapter: found no device {wanted!r}, expected one of: {there}; name one of these, or"
        f" its type, with --device, in config.yaml or with --config adapter=..., or {HINT}"
    )


def open_device(adapter: Any) -> Any:
    """Open a device with WebGPU's default limits, and timestamps if it has them."""
    features = [name for name in ("timestamp-query",) if name in adapter.features]
    with one_sentence(describe(adapter), HINT):
        return adapter.request_device_sync(
            required_features=features, required_limits=DEFAULT_LIMITS
        )
