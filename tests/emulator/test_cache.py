"""A cache, simulated: cases worked by hand, a slow obvious LRU, and the kernels' traces."""

from collections import OrderedDict

import numpy as np
import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem, fused_key_rows
from fusedfacts.emulator import cache, trace
from fusedfacts.emulator.memory import BUFFERS, LOADS, STORES
from fusedfacts.emulator.trace import Trace
from hypothesis import given
from hypothesis import strategies as st

FLOATS = 4  # of a line: 16 bytes


def traced(*accesses, starts=None):
    """A trace of (load or store, first element, elements) of q."""
    log = np.array([(0, *access) for access in accesses])
    return Trace("kernel", log, np.array(starts or [0, len(log)]))


def curve(*traces, elements=64, together=1):
    return cache.curve(list(traces), {"q": elements}, 4 * FLOATS, together)


def slowly(traces, elements, room, together):
    """Lines fetched and written back by an LRU that lists its lines, and which are dirty."""
    held, fetched, written = OrderedDict(), 0, 0
    for one in traces:
        for _, kind, first, size in one.accesses[cache.turns(one.starts, together)].tolist():
            for line in range(first // FLOATS, -(-(first + size) // FLOATS)):
                whole = first <= line * FLOATS and (line + 1) * FLOATS <= first + size
                dirty = held.pop(line, None)
                if dirty is None and not (kind == STORES and whole):
                    fetched += 1
                held[line] = bool(dirty) or kind == STORES
                if len(held) > room:
                    written += held.popitem(last=False)[1]
    return fetched, written + sum(held.values())


def loads(*lines):
    return traced(*((LOADS, line * FLOATS, FLOATS) for line in lines))


def test_a_walk_repeated_is_served_where_all_of_it_fits_and_nowhere_else():
    """Three lines, twice: least recently used, the one that is needed next always just left."""
    found = curve(loads(0, 1, 2, 0, 1, 2))
    assert [int(found.fetched[room]) for room in range(5)] == [6, 6, 6, 3, 3]
    assert found.moved(1000) == 3


def test_what_was_used_last_needs_one_line():
    assert curve(loads(0, 0, 1, 1)).fetched[:3].tolist() == [4, 2, 2]


def test_a_line_that_is_written_goes_back_once_for_each_stay():
    whole, other = (STORES, 0, FLOATS), (LOADS, FLOATS, FLOATS)
    found = curve(traced(whole, other, whole))
    assert found.written[:4].tolist() == [2, 2, 1, 1]
    assert found.fetched[:4].tolist() == [1, 1, 1, 1]  # a store of a whole line fetches nothing


def test_a_store_of_a_part_of_a_line_fetches_the_rest():
    assert curve(traced((STORES, 1, 2))).fetched[5] == 1
    assert curve(traced((STORES, 2, FLOATS))).fetched[5] == 2  # two lines, a part of each
    assert curve(traced((STORES, 0, 2 * FLOATS))).fetched[5] == 0


def test_a_line_half_used_is_moved_whole():
    found = curve(traced((LOADS, 0, 2), (LOADS, 2, 2)))
    assert (found.moved(0), found.moved(1)) == (2, 1)


def test_workgroups_take_turns_and_the_next_in_order_takes_a_place_that_is_free():
    starts = np.array([0, 1, 4, 6, 7])
    assert cache.turns(starts, 1).tolist() == list(range(7))
    assert cache.turns(starts, 2).tolist() == [0, 1, 4, 2, 5, 3, 6]
    assert sorted(cache.turns(starts, 100).tolist()) == list(range(7))


ACCESS = st.tuples(st.sampled_from([LOADS, STORES]), st.integers(0, 40), st.integers(1, 12))


@given(st.lists(ACCESS, min_size=1, max_size=60), st.integers(1, 3), st.data())
def test_the_curve_is_that_of_the_slow_lru_at_every_size(accesses, together, data):
    cuts = data.draw(st.lists(st.integers(0, len(accesses)), max_size=4))
    one = traced(*accesses, starts=[0, *sorted(cuts), len(accesses)])
    found = curve(one, elements=52, together=together)
    for room in range(1, 14):
        expected = slowly([one], 52, room, together)
        assert (found.fetched[room], found.written[room]) == expected
        assert found.moved(room) == sum(expected)


def of_method(method, problem):
    if method == "fused":
        return trace.fused(problem, fused_key_rows(problem.d))
    return trace.unfused(problem)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("method", ["fused", "unfused"])
@pytest.mark.parametrize(("n", "d"), [(130, 16), (97, 64), (40, 128)])
def test_a_trace_is_what_is_counted(method, n, d, causal):
    """Each buffer's elements are those of the closed form, each kernel's workgroups its own."""
    problem = Problem(n, d, causal=causal)
    form = traffic.ELEMENTS[method](n, d, causal)
    traces = of_method(method, problem)
    assert [one.kernel for one in traces] == list(form)
    for one in traces:
        moved = dict.fromkeys(BUFFERS, 0)
        for buffer, _, _, size in one.accesses.tolist():
            moved[BUFFERS[buffer]] += size
        expected = {name: sum(kinds.values()) for name, kinds in form[one.kernel].items()}
        assert {name: size for name, size in moved.items() if size} == expected
        rows = 1 if one.kernel == "softmax" else 2048 // d
        assert len(one.starts) - 1 == -(-n // rows)


def test_a_trace_follows_the_kernel_and_not_its_emulation():
    """K and V of a tile are fetched together, and a softmax's workgroup is one row."""
    (fused,) = trace.fused(Problem(40, 64), 16)
    names = [BUFFERS[buffer] for buffer in fused.accesses[: fused.starts[1], 0]]
    assert names == ["q", "k", "v", "k", "v", "k", "v", "o"]
    _, softmax, mix = trace.unfused(Problem(40, 64))
    assert softmax.accesses[6:8].tolist() == [[4, LOADS, 120, 40], [5, STORES, 120, 40]]
    assert mix.accesses[mix.starts[1], :3].tolist() == [5, LOADS, 32 * 40]


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize("method", ["fused", "unfused"])
def test_a_kernel_s_curve_is_that_of_the_slow_lru(method, together):
    n, d = 70, 64
    traces = of_method(method, Problem(n, d))
    sizes = dict.fromkeys("qkvo", n * d) | dict.fromkeys("sp", n * n) | dict.fromkeys("ml", n)
    found = cache.curve(traces, sizes, 4 * FLOATS, together)
    starts = np.cumsum([0, *(-(-sizes[name] // FLOATS) * FLOATS for name in BUFFERS)])
    moved = []
    for one in traces:
        log = one.accesses.copy()
        log[:, 2] += starts[log[:, 0]]
        moved.append(one._replace(accesses=log))
    for room in (1, 300, 2000, 5000):
        assert (found.fetched[room], found.written[room]) == slowly(moved, 0, room, together)


def test_a_trace_that_was_cut_short_is_refused():
    counts = trace.no_counts(1)
    counts.asked[0] = 2
    with pytest.raises(ValueError, match="2 accesses, room for 1"):
        trace.logged(counts)
