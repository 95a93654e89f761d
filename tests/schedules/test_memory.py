"""Counted global memory refuses what a kernel must not do, and counts the rest."""

import numpy as np
import pytest
from fusedfacts.errors import FactsError
from fusedfacts.schedules.memory import Memory
from fusedfacts.schedules.shape import Shape, Tiles


@pytest.fixture(params=[False, True], ids=["numbers", "dry"])
def memory(request):
    made = Memory(dry=request.param)
    made.place("q", (5, 3) if request.param else np.ones((5, 3), np.float32))
    made.reserve("lse", 5)
    made.launch("forward")
    return made


def test_what_was_asked_is_counted_and_observed(memory):
    seen = []
    memory.observe = seen.append
    memory.load("q", 1, 4)
    memory.store("lse", 0, 5, 0.0)
    assert memory.traffic(times=2) == {
        "forward": {"q": {"loads": 18, "stores": 0}, "lse": {"loads": 0, "stores": 10}}
    }
    assert [tuple(access) for access in seen] == [
        ("forward", "q", 1, 4, 3, False),
        ("forward", "lse", 0, 5, 1, True),
    ]


@pytest.mark.parametrize(("first", "last"), [(-1, 2), (3, 6), (2, 2)])
def test_rows_that_do_not_exist_are_refused(memory, first, last):
    with pytest.raises(FactsError, match="q: found an access to rows"):
        memory.load("q", first, last)


def test_what_nobody_wrote_is_refused(memory):
    memory.store("lse", 0, 2, 0.0)
    memory.load("lse", 0, 2)
    with pytest.raises(FactsError, match="before all of them were written"):
        memory.load("lse", 1, 3)


def test_what_is_on_chip_does_not_change_with_memory():
    memory = Memory()
    memory.place("q", np.ones((2, 2), np.float32))
    memory.launch("forward")
    held = memory.load("q", 0, 2)
    memory.store("q", 0, 2, 5.0)
    assert held.tolist() == [[1, 1], [1, 1]]
    with pytest.raises(FactsError, match="expected \\(2, 2\\)"):
        memory.store("q", 0, 2, np.ones((1, 2), np.float32))


def test_sizes_and_windows_that_are_no_attention_are_refused():
    for wrong in ({"n_q": 0}, {"heads": 3, "kv_heads": 2}, {"window": (-2, 0)}, {"d": 0}):
        with pytest.raises(FactsError, match="expected"):
            Shape(**{"n_q": 1, "n_k": 1, "d": 1, **wrong})
    with pytest.raises(FactsError, match="br: found 0"):
        Tiles(0, 1)
