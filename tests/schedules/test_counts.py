"""Closed forms of schedules against their executed loops, in every buffer."""

import random

import pytest
from fusedfacts.schedules.methods import FORWARD
from fusedfacts.schedules.shape import Shape, Tiles

SCHEDULES = 1500  # of each method


def drawn(rng):
    """Draw a shape and its tiles: ragged, with and without cache, window, groups and packing."""
    group, kv_heads = rng.choice([1, 1, 2, 3, 4]), rng.choice([1, 2])
    n_q = rng.choice([1, rng.randint(1, 30), rng.randint(1, 30)])
    shape = Shape(
        n_q,
        rng.choice([n_q, rng.randint(1, 40)]),
        rng.choice([1, 4, 16]),
        heads=group * kv_heads,
        kv_heads=kv_heads,
        batch=rng.choice([1, 2]),
        causal=rng.random() < 0.5,
        window=rng.choice([None, None, (rng.randint(-1, 12), rng.randint(-1, 5))]),
    )
    splits = rng.choice([1, 2, 3, 7])
    return shape, Tiles(rng.randint(1, 14), rng.randint(1, 14), splits, rng.random() < 0.5)


def moved(traffic):
    """List what is moved, without zeros."""
    return {
        (kernel, buffer, access): elements
        for kernel, buffers in traffic.items()
        for buffer, accesses in buffers.items()
        for access, elements in accesses.items()
        if elements
    }


@pytest.mark.parametrize("name", FORWARD)
def test_the_form_equals_the_executed_loops_in_every_buffer(name):
    rng, schedule = random.Random(name), FORWARD[name]
    for _ in range(SCHEDULES):
        shape, tiles = drawn(rng)
        assert moved(schedule.form(shape, tiles)) == moved(schedule.count(shape, tiles)), (
            shape,
            tiles,
        )
