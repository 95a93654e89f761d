"""Seeded inputs made so that a given fault shows on one and cannot show on another."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fusedfacts.attention.problem import Rows
from fusedfacts.numerics import rng

D, KEY_ROWS = 16, 8
N_RAGGED, N_ALIGNED = 45, 48  # with and without a cut last tile


class Input(NamedTuple):
    """Tensors of shape (n, d), and whether attention on them is causal."""

    q: Rows
    k: Rows
    v: Rows
    causal: bool = False


def inputs(seed: int) -> dict[str, Input]:
    """Draw the seeded inputs, by name."""

    def draw(kind: Callable[[int, int, tuple[int, ...]], Rows], rows: int) -> Input:
        q, k, v = (kind(seed, stream, (rows, D)) for stream in range(3))
        return Input(q, k, v)

    def first(column: ArrayLike) -> Rows:
        """Rows of zeros but for the first number of each."""
        found = np.zeros((N_RAGGED, D), dtype=np.float32)
        found[:, 0] = column
        return found

    random = draw(rng.normal, N_RAGGED)
    q, k, v, _ = random
    ray = first(4)  # the scaled score of a key is its first number
    rank = np.arange(N_RAGGED, dtype=np.float32)
    spike = np.concatenate([k[:-1], first(12)[-1:]])
    return {
        "random": random,
        "random_aligned": draw(rng.normal, N_ALIGNED),
        "dyadic": draw(rng.dyadic, N_RAGGED),
        "causal": Input(q, k, v, causal=True),
        "ascending": Input(ray, first(rank / 4), v),
        "descending": Input(ray, first(-rank / 4), v),
        "large_descending": Input(ray, first(-rank * 16), v),
        "spike_at_the_end": Input(ray, spike, v),
        "all_equal": Input(q, np.repeat(k[:1], N_RAGGED, axis=0), v),
        "zero_queries": Input(np.zeros_like(q), k, v),
        "constant_values": Input(q, k, np.ones_like(v)),
    }
