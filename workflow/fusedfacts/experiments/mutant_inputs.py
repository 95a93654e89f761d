"""Seeded inputs made so that a given fault shows on one and cannot show on another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusedfacts.numerics import rng

Floats = NDArray[np.float32]
D, KEY_ROWS = 16, 8
N_RAGGED, N_ALIGNED = 45, 48  # with and without a cut last tile


@dataclass(frozen=True)
class Input:
    """Tensors of shape (n, d), and whether attention on them is causal."""

    q: Floats
    k: Floats
    v: Floats
    causal: bool = False


def inputs(seed: int) -> dict[str, Input]:
    """The seeded inputs, by name."""
    n = N_RAGGED

    def draw(kind: Callable[[int, int, tuple[int, ...]], Floats], rows: int) -> Input:
        q, k, v = (kind(seed, stream, (rows, D)) for stream in range(3))
        return Input(q, k, v)

    random = draw(rng.normal, n)
    q, k, v = random.q, random.k, random.v
    ones = np.ones_like(v)
    # Queries (4, 0, ..., 0): the scaled score of a key is its first number.
    ray = np.zeros_like(q)
    ray[:, 0] = 4
    rank = np.arange(n, dtype=np.float32)

    def keys(step: float) -> Floats:
        found = np.zeros_like(k)
        found[:, 0] = rank * np.float32(step)
        return found

    spike = k.copy()
    spike[-1] = 0
    spike[-1, 0] = 12
    return {
        "random": random,
        "random_aligned": draw(rng.normal, N_ALIGNED),
        "dyadic": draw(rng.dyadic, n),
        "causal": Input(q, k, v, causal=True),
        "ascending": Input(ray, keys(1 / 4), v),
        "descending": Input(ray, keys(-1 / 4), v),
        "large_descending": Input(ray, keys(-16), v),
        "spike_at_the_end": Input(ray, spike, v),
        "all_equal": Input(q, np.repeat(k[:1], n, axis=0), v),
        "zero_queries": Input(np.zeros_like(q), k, v),
        "constant_values": Input(q, k, ones),
    }
