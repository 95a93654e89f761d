"""The executed loops give attention: each answer within its derived bound, and lse too."""

import random

import numpy as np
import pytest
from fusedfacts.numerics import rng as inputs
from fusedfacts.schedules import flash, flash2, loops, splitk
from fusedfacts.schedules.answers import hold
from fusedfacts.schedules.methods import FORWARD
from fusedfacts.schedules.shape import Shape, Tiles
from schedules.test_counts import drawn

SCHEDULES = 40  # of each method


def heads(shape, seed=3):
    q = inputs.normal(seed, 0, (shape.group, shape.n_q, shape.d))
    return q, *(inputs.normal(seed, stream, (shape.n_k, shape.d)) for stream in (1, 2))


@pytest.mark.parametrize("name", FORWARD)
def test_every_answer_lies_within_its_bound(name):
    rng = random.Random(name)
    for seed in range(SCHEDULES):
        shape, tiles = drawn(rng)
        held = hold(FORWARD[name], shape, tiles, *heads(shape, seed))
        assert held.o <= 1, (shape, tiles, held)
        assert held.lse is None or held.lse <= 1, (shape, tiles, held)


def test_a_right_answer_needs_the_key_that_is_seen_last():
    """One key fewer for each query tile: values tell it, where counts alone might agree."""
    shape, tiles = Shape(9, 14, 4, causal=True), Tiles(4, 3)
    told = hold(FORWARD["fa2"], shape, tiles, *heads(shape))
    with pytest.MonkeyPatch.context() as patch:
        seen = loops.keys_seen
        patch.setattr(loops, "keys_seen", lambda *given: (seen(*given)[0], seen(*given)[1] - 1))
        assert hold(FORWARD["fa2"], shape, tiles, *heads(shape)).o > 1 > told.o


@pytest.mark.parametrize("name", FORWARD)
def test_rows_that_see_nothing_are_zero(name):
    shape = Shape(7, 3, 4, causal=True)
    answer, memory = FORWARD[name].emulate(shape, Tiles(2, 2, splits=2), *heads(shape))
    assert (answer[0, :4] == 0).all()
    assert (answer[0, 4:] != 0).all()
    if "lse" in memory.arrays:
        assert np.isneginf(memory.arrays["lse"][:4]).all()


def test_many_tiles_keep_within_the_bound_of_what_is_stored_after_each():
    shape, tiles = Shape(4, 512, 16), Tiles(4, 4)
    for name in ("fa1", "fa2"):
        assert hold(FORWARD[name], shape, tiles, *heads(shape)).o <= 1


def without_maximum(o, total, m, s, v):
    return o + s @ v, total + s.sum(axis=1), m


FAULTS = {
    "nothing is updated": (flash, "update", lambda o, total, m, s, v: (o, total, m)),
    "no running maximum": (
        flash2,
        "update",
        without_maximum,
    ),
    "partial answers averaged": (splitk, "join", lambda o, lse: o.mean(axis=0)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_mistake_exceeds_the_bound(fault, monkeypatch):
    module, name, mistaken = FAULTS[fault]
    monkeypatch.setattr(module, name, mistaken)
    schedule = next(s for s in FORWARD.values() if s.run is module.forward)
    shape = Shape(5, 20, 4)
    held = hold(schedule, shape, Tiles(4, 3, splits=3), *heads(shape))
    assert held.o > 1
