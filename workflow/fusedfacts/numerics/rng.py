"""Seeded inputs with the same bits in Python, JavaScript and every NumPy.

A counter-based generator has no state: value `i` of a stream is a pure function of
(seed, stream, i). Only 32-bit integer arithmetic is used, then one exact division.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fusedfacts.errors import FactsError

T = TypeVar("T")

WORDS_PER_NORMAL = 12  # the sum of twelve uniform words has the variance of a unit normal
MEAN_OF_WORDS = WORDS_PER_NORMAL * 65_535 // 2  # 393,210: exact, since 12 * 65,535 is even
COUNTERS = 1 << 32  # a stream is as long as its 32-bit counter

# Odd multipliers of the 32-bit finalizer of MurmurHash3 (A. Appleby, public domain), and the
# golden ratio's fraction in 32 bits, which separates neighbouring seeds and streams.
MIX_1, MIX_2, GOLDEN = 0x85EBCA6B, 0xC2B2AE35, 0x9E3779B9


def mix32(x: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Scramble 32-bit words: every input bit changes about half of the output bits."""
    x = x ^ (x >> np.uint32(16))
    x = x * np.uint32(MIX_1)
    x = x ^ (x >> np.uint32(13))
    x = x * np.uint32(MIX_2)
    return x ^ (x >> np.uint32(16))


def words(seed: int, stream: int, count: int, first: int = 0) -> NDArray[np.uint32]:
    """Words `first` to `first + count` of a stream, each a 32-bit hash of its counter.

    Parameters
    ----------
    seed, stream : int
        Any integers; they are taken modulo 2**32.
    count, first : int
        Length and first counter.

    Returns
    -------
    ndarray of uint32, shape (count,)

    Raises
    ------
    FactsError
        If the stream's 32-bit counter would wrap round.

    Examples
    --------
    >>> [int(w) for w in words(1, 0, 3)] == [int(w) for w in words(1, 0, 5)[:3]]
    True
    """
    if first + count > COUNTERS:
        raise FactsError(
            f"seeded stream {stream}: {first + count} words asked for, at most {COUNTERS} exist;"
            " use a smaller n or d in config.yaml"
        )
    key = np.array([seed % COUNTERS], dtype=np.uint32)
    key = mix32(key + np.uint32(GOLDEN))
    key = mix32(key ^ np.uint32(stream % COUNTERS))
    counter = np.arange(first, first + count, dtype=np.uint32)
    return mix32(mix32(counter * np.uint32(GOLDEN) + key) ^ key)


def normal(seed: int, stream: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Values that look standard normal and are exact in float32.

    Each is the sum of twelve 16-bit words less its mean, over 65,536 (the central limit
    theorem does the rest), so it lies within 6 of zero.

    Examples
    --------
    >>> x = normal(7, 0, (1000,))
    >>> bool(abs(x.mean()) < 0.1 and abs(x.std() - 1) < 0.1)
    True
    >>> bool(np.all(x * 65536 == np.rint(x * 65536)))
    True
    """
    count = int(np.prod(shape, dtype=np.int64))
    packed = words(seed, stream, count * (WORDS_PER_NORMAL // 2)).reshape(count, -1)
    low = packed & np.uint32(0xFFFF)
    high = packed >> np.uint32(16)
    total = low.sum(axis=1, dtype=np.int64) + high.sum(axis=1, dtype=np.int64)
    values: NDArray[np.float32] = ((total - MEAN_OF_WORDS) / 65_536).astype(np.float32)
    return values.reshape(shape)


def dyadic(seed: int, stream: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Multiples of 1/32 with numerators from -127 to 127.

    Dot products of up to 128 of them are exact in float32 in any order, so an input of this
    kind separates the rounding of scores from all other rounding.
    """
    count = int(np.prod(shape, dtype=np.int64))
    numerators = (words(seed, stream, count) % np.uint32(255)).astype(np.int64) - 127
    return (numerators / 32).astype(np.float32).reshape(shape)


class Stream:
    """A stream read one draw after another, for generators of text.

    Examples
    --------
    >>> stream = Stream(seed=3, stream=0)
    >>> stream.choice(["a", "b", "c"]) in {"a", "b", "c"}
    True
    """

    BLOCK = 4096

    def __init__(self, seed: int, stream: int) -> None:
        self._seed, self._stream, self._next = seed, stream, 0
        self._block: list[int] = []

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1 (its bias, limit / 2**32, does not matter here)."""
        if self._next % self.BLOCK == 0:
            block = words(self._seed, self._stream, self.BLOCK, self._next)
            self._block = [int(word) for word in block]
        word = self._block[self._next % self.BLOCK]
        self._next += 1
        return word * limit >> 32

    def choice(self, options: Sequence[T]) -> T:
        """One of the options, each as likely as any other."""
        return options[self.below(len(options))]
