"""An open device, and the kernels compiled for it so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fusedfacts.device import adapters
from fusedfacts.kernels import manifest as kernels

HINT_TEXT = "correct the kernel's text, or restore it with `git checkout kernels`"


@dataclass(frozen=True)
class Variant:
    """One of a kernel's compiled forms.

    Attributes
    ----------
    key_rows, scale
        The manifest's own where None.
    count, causal, rescale : bool
        The pipeline-overridable constants COUNT, CAUSAL and RESCALE.
    """

    d: int
    key_rows: int | None = None
    count: bool = True
    causal: bool = False
    rescale: bool = True
    scale: float | None = None


@dataclass
class Device:
    """An open device with the pipelines compiled so far.

    Attributes
    ----------
    adapter, handle : wgpu's objects
    folder : Path
        Where the kernels' text stands.
    """

    adapter: Any
    handle: Any
    folder: Path = kernels.FOLDER
    _pipelines: dict[tuple[str, Variant], Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Give the driver's name for it."""
        return str(self.adapter.info["device"])

    @property
    def has_timestamps(self) -> bool:
        """Tell whether the device can time its own passes."""
        return "timestamp-query" in self.handle.features

    def tick_seconds(self) -> float:
        """Ask wgpu's C library for the seconds of a tick; its Python interface cannot tell."""
        from wgpu.backends.wgpu_native import lib

        return float(lib.wgpuQueueGetTimestampPeriod(self.handle.queue._internal)) * 1e-9

    def compile(self, code: str, name: str, constants: dict[str, float]) -> Any:
        """Compile a compute pipeline from text."""
        with adapters.one_sentence(name, HINT_TEXT):
            module = self.handle.create_shader_module(code=code, label=name)
            return self.handle.create_compute_pipeline(
                layout="auto",
                compute={"module": module, "entry_point": "main", "constants": constants},
            )

    def pipeline(self, kernel: str, variant: Variant) -> Any:
        """Compile a kernel on first use."""
        key = (kernel, variant)
        if key not in self._pipelines:
            entry = kernels.manifest(self.folder)["kernels"][kernel]
            chosen = {"COUNT": variant.count, "CAUSAL": variant.causal, "RESCALE": variant.rescale}
            prelude = kernels.prelude(
                kernel, variant.d, variant.key_rows, self.folder, variant.scale
            )
            self._pipelines[key] = self.compile(
                prelude + kernels.text(kernel, self.folder),
                f"kernel {kernel} at d {variant.d}",
                {name: float(chosen[name]) for name in entry["overrides"]},
            )
        return self._pipelines[key]


def opened(wanted: str = adapters.ANY, folder: Path = kernels.FOLDER) -> Device:
    """Open the wanted device."""
    adapter = adapters.choose(wanted)
    return Device(adapter, adapters.open_device(adapter), folder)
