"""Single operations on a device: what the self-test asks, and the exp that the emulator borrows."""

from __future__ import annotations

from typing import Any

import numpy as np

from fusedfacts.device import adapters
from fusedfacts.device.launch import GROUPS_MOST, HINT, dispatch
from fusedfacts.device.measure import Floats
from fusedfacts.device.memory import allocated, poisoned, words_of
from fusedfacts.device.pipelines import Device
from fusedfacts.kernels import manifest
from fusedfacts.numerics.exponential import Exponential

LANES = 64
MOST = GROUPS_MOST * LANES  # elements of one dispatch
CODES = ("add", "multiply", "multiply_add", "divide", "exp", "copy")  # OPERATION 0 to 5


class Operations:
    """The operations of kernels/selftest.wgsl on one device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._pipelines: dict[str, Any] = {}

    def _pipeline(self, name: str) -> Any:
        if name not in self._pipelines:
            text = (self.device.folder / manifest.SELFTEST).read_text(encoding="utf-8")
            constants = {"OPERATION": float(CODES.index(name))}
            self._pipelines[name] = self.device.compile(text, f"self-test of {name}", constants)
        return self._pipelines[name]

    def __call__(self, name: str, *operands: Floats) -> Floats:
        """Run one operation on flat arrays, as many as it reads."""
        pieces = range(0, operands[0].size, MOST)
        return np.concatenate(
            [self._piece(name, [x[i : i + MOST] for x in operands]) for i in pieces]
        )

    def _piece(self, name: str, operands: list[Floats]) -> Floats:
        count = operands[0].size
        words = [*map(words_of, operands), poisoned(count)]
        names = (f"{name}, {what}" for what in (*"abc"[: len(operands)], "result"))
        with allocated(self.device.handle, dict(zip(names, words, strict=True))) as buffers:
            *given, result = buffers.values()
            bound = [
                *given,
                *given[:1] * (3 - len(given)),
                result,
            ]  # what is not read is bound, too
            with adapters.one_sentence(f"self-test of {name}", HINT):
                resources = {i: buffer.binding() for i, buffer in enumerate(bound)}
                groups = -(-count // LANES)
                dispatch(self.device, self._pipeline(name), [(resources, groups)])
            return result.floats()

    def exponential(self) -> Exponential:
        """Give the device's exp in the form that the emulator takes."""

        def exp(x: Floats) -> Floats:
            return self("exp", np.ascontiguousarray(x).reshape(-1)).reshape(x.shape)

        return exp
