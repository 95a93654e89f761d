"""Buffers on a device: poisoned before a launch, with guarded borders checked after it.

A kernel sees only the middle of a buffer. What lies before and after it, and every output
before the launch, holds one NaN that no arithmetic gives: a value that was never written shows,
and so does a store that missed its buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.device.adapters import DEFAULT_LIMITS, one_sentence
from fusedfacts.errors import ClaimError, FactsError

POISON = 0x7FC0DEAD  # a quiet NaN with a payload of its own
GUARD_BYTES = DEFAULT_LIMITS["min-storage-buffer-offset-alignment"]
BINDING_LIMIT = DEFAULT_LIMITS["max-storage-buffer-binding-size"]
HINT = "use a smaller n, or another device (list them with `python -m fusedfacts.device`)"

Words = NDArray[np.uint32]


def words_of(values: NDArray[Any]) -> Words:
    """Give the bits of float32 or uint32 values, flat."""
    return np.ascontiguousarray(values).reshape(-1).view(np.uint32)


def poisoned(count: int) -> Words:
    """Make poison for `count` float32 values."""
    return np.full(count, POISON, dtype=np.uint32)


class Buffer:
    """A storage buffer between two guards; `content` is what the kernel sees before the launch."""

    def __init__(self, device: Any, name: str, content: Words) -> None:
        import wgpu

        if content.nbytes > BINDING_LIMIT:
            raise FactsError(
                f"buffer {name}: found {content.nbytes} bytes, expected at most {BINDING_LIMIT},"
                f" WebGPU's default limit of one binding; {HINT}"
            )
        self._device, self.name, self.size = device, name, content.nbytes
        guard = poisoned(GUARD_BYTES // 4)
        with one_sentence(f"buffer {name} of {self.size} bytes", HINT):
            use = wgpu.BufferUsage
            self._buffer = device.create_buffer_with_data(
                data=np.concatenate([guard, content, guard]),
                usage=use.STORAGE | use.COPY_SRC | use.COPY_DST,
            )

    def binding(self) -> dict[str, Any]:
        """Give the middle of the buffer, as a bind group takes it."""
        return {"buffer": self._buffer, "offset": GUARD_BYTES, "size": self.size}

    def read(self) -> Words:
        """Read what the kernel left, as bits; raise a ClaimError if a guard was written over."""
        with one_sentence(f"buffer {self.name}", HINT):
            whole = np.frombuffer(self._device.queue.read_buffer(self._buffer), np.uint32)
        guard = GUARD_BYTES // 4
        if (whole[:guard] != POISON).any() or (whole[-guard:] != POISON).any():
            raise ClaimError(
                f"buffer {self.name}: its guard was written over, expected every store within the"
                " buffer; mend the kernel's index arithmetic"
            )
        return whole[guard:-guard]

    def floats(self) -> NDArray[np.float32]:
        """Read what the kernel left, as float32."""
        return self.read().view(np.float32)

    def release(self) -> None:
        """Give the memory back."""
        self._buffer.destroy()


@contextmanager
def allocated(device: Any, content: Mapping[str, Words]) -> Iterator[dict[str, Buffer]]:
    """Make buffers, and give their memory back before Python's collector would."""
    made: dict[str, Buffer] = {}
    try:
        for name, words in content.items():
            made[name] = Buffer(device, name, words)
        yield made
    finally:
        for buffer in made.values():
            buffer.release()
