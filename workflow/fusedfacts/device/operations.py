"""Single operations on a device: what the self-test asks, and the exp that the emulator borrows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.device import adapters
from fusedfacts.device.launch import MEND_DEVICE
from fusedfacts.device.memory import Buffer, poisoned, words_of
from fusedfacts.device.pipelines import Device
from fusedfacts.kernels import manifest
from fusedfacts.numerics.exponential import Exponential

Floats = NDArray[np.float32]
LANES = 64
MOST = 65_535 * LANES  # elements of one dispatch, by WebGPU's default limit
# Values of OPERATION in kernels/selftest.wgsl.
CODES = {
    "add": 0,
    "multiply": 1,
    "multiply_add": 2,
    "divide": 3,
    "exp": 4,
    "dot": 5,
    "read_beyond": 6,
    "store_beyond": 7,
    "bench_beyond": 8,
    "copy": 9,
}


class Operations:
    """The operations of kernels/selftest.wgsl on one device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._pipelines: dict[str, Any] = {}

    def _pipeline(self, name: str) -> Any:
        if name not in self._pipelines:
            constants = {"OPERATION": float(CODES[name])}
            self._pipelines[name] = self.device.compile(
                self.device.text(manifest.SELFTEST), f"self-test of {name}", constants
            )
        return self._pipelines[name]

    def __call__(
        self, name: str, a: Floats, b: Floats | None = None, c: Floats | None = None
    ) -> Floats:
        """One operation on flat float32 arrays; `dot` takes four elements for each result.

        An absent operand is read as zeros.
        """
        width = 4 if name == "dot" else 1
        zeros = np.zeros_like(a)
        operands = [a, zeros if b is None else b, zeros if c is None else c]
        results = [
            self._piece(name, [x[width * i : width * (i + MOST)] for x in operands], width)
            for i in range(0, a.size // width, MOST)
        ]
        return np.concatenate(results) if results else np.empty(0, np.float32)

    def _piece(self, name: str, operands: list[Floats], width: int) -> Floats:
        pipeline, handle = self._pipeline(name), self.device.handle
        buffers = [
            Buffer(handle, f"{name}, operand", words_of(np.ascontiguousarray(x))) for x in operands
        ]
        count = operands[0].size // width
        buffers.append(Buffer(handle, f"{name}, result", poisoned(count)))
        with adapters.one_sentence(f"self-test of {name}", MEND_DEVICE):
            # A layout made from the text binds only what the text uses: all four, always.
            group = handle.create_bind_group(
                layout=pipeline.get_bind_group_layout(0),
                entries=[{"binding": i, "resource": x.binding()} for i, x in enumerate(buffers)],
            )
            encoder = handle.create_command_encoder()
            compute = encoder.begin_compute_pass()
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, group)
            compute.dispatch_workgroups(-(-count // LANES))
            compute.end()
            handle.queue.submit([encoder.finish()])
        result = buffers[-1].floats()
        for buffer in buffers:
            buffer.release()
        return result

    def exponential(self) -> Exponential:
        """The device's exp, in the form that the emulator takes."""

        def exp(x: Floats) -> Floats:
            return self("exp", np.ascontiguousarray(x).reshape(-1)).reshape(x.shape)

        return exp
