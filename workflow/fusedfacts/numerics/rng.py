"""Seeded inputs with the same bits in Python, JavaScript and every NumPy.

A counter-based generator has no state: value `i` of a stream is a pure function of
(seed, stream, i). Only 32-bit integer arithmetic is used, then one exact division.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WORDS_PER_NORMAL = 12  # the sum of twelve uniform words has the variance of a unit normal
MEAN_OF_WORDS = WORDS_PER_NORMAL * 65_535 // 2  # 393,210: exact, since 12 * 65,535 is even

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


def words(seed: int, stream: int, count: int) -> NDArray[np.uint32]:
    """Hash the first `count` counters of a stream to 32-bit words; seeds are taken modulo 2**32.

    >>> [int(w) for w in words(1, 0, 3)] == [int(w) for w in words(1, 0, 5)[:3]]
    True
    """
    key = np.array([seed % 2**32], dtype=np.uint32)
    key = mix32(key + np.uint32(GOLDEN))
    key = mix32(key ^ np.uint32(stream))
    counter = np.arange(count, dtype=np.uint32)
    return mix32(mix32(counter * np.uint32(GOLDEN) + key) ^ key)


def normal(seed: int, stream: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Draw values that look standard normal and are exact in float32.

    Each is the sum of twelve 16-bit words less its mean, over 65,536 (the central limit
    theorem does the rest), so it lies within 6 of zero.

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
    """Draw multiples of 1/32 with numerators from -127 to 127.

    Dot products of up to 128 of them are exact in float32 in any order, so an input of this
    kind separates the rounding of scores from all other rounding.
    """
    count = int(np.prod(shape, dtype=np.int64))
    numerators = (words(seed, stream, count) % np.uint32(255)).astype(np.int64) - 127
    return (numerators / 32).astype(np.float32).reshape(shape)
