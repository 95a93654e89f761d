"""Single operations on a device: what the self-test asks, and the exp that the emulator borrows."""

from __future__ import annotations

from typing import Any

import numpy as np

from fusedfacts.device import adapters
from fusedfacts.device.launch import GROUPS_MOST, HINT, dispatch
from fusedfacts.device.measure import Floats
from fusedfacts.device.memory import Buffer, poisoned, release, words_of
from fusedfacts.device.pipelines import Device
from fusedfacts.kernels import manifest
from fusedfacts.numerics.exponential import Exponential

LANES = 64
MOST = GROUPS_MOST * LANES  # elements of one dispatch
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
        """Run one operation on flat arrays; `dot` takes four elements for each result.

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
        count = operands[0].size // width
        words = [*map(words_of, operands), poisoned(count)]
        buffers = {
            f"{name}, {what}": Buffer(self.device.handle, f"{name}, {what}", content)
            for what, content in zip(("a", "b", "c", "result"), words, strict=True)
        }
        with adapters.one_sentence(f"self-test of {name}", HINT):
            resources = {i: buffer.binding() for i, buffer in enumerate(buffers.values())}
            dispatch(self.device, self._pipeline(name), resources, -(-count // LANES))
        result = buffers[f"{name}, result"].floats()
        release(buffers)
        return result

    def exponential(self) -> Exponential:
        """Give the device's exp in the form that the emulator takes."""

        def exp(x: Floats) -> Floats:
            return self("exp", np.ascontiguousarray(x).reshape(-1)).reshape(x.shape)

        return exp
