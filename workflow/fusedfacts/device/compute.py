"""Computing an answer by the real kernels, with the arithmetic that the bound takes for them."""

from __future__ import annotations

from dataclasses import dataclass

from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.device import pipelines, selftest
from fusedfacts.device.pipelines import Device
from fusedfacts.device.run import Floats, attention
from fusedfacts.emulator.methods import Way
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import manifest


@dataclass(frozen=True)
class OnDevice:
    """A device that computes one way, and what its self-test says of its arithmetic."""

    device: Device
    way: Way
    arithmetic: Arithmetic

    def __call__(self, q: Floats, k: Floats, v: Floats) -> tuple[Floats, traffic.Traffic]:
        """The answer, and the elements that the kernels counted themselves."""
        way = self.way
        answer = attention(
            self.device,
            way.kernel,
            q,
            k,
            v,
            causal=way.causal,
            scale=way.scale,
            key_rows=way.key_rows,
        )
        if answer.counts is None:
            raise ClaimError(f"{way.kernel}: the kernels did not count; mend the kernels")
        return answer.output, answer.counts


def opened(wanted: str, way: Way, n: int, d: int) -> OnDevice:
    """Open a device and test it, once the kernels are known to serve the size.

    Raises
    ------
    FactsError
        If there is no such device, or the sequence or the key tile is too large for a kernel.
    ClaimError
        If the device's arithmetic is not one that the bound covers.
    """
    for kernel in manifest.names(way.kernel):
        manifest.check_length(kernel, n)
        manifest.constants(kernel, d, way.key_rows)
    device = pipelines.opened(wanted)
    tested = selftest.run(device, ticks=[])
    return OnDevice(device, way, selftest.arithmetic(tested))
