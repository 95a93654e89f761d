"""Backward schedules: form and loops agree in every buffer, and dq, dk and dv keep to the bound."""

import numpy as np
import pytest
from fusedfacts.attention.arithmetic import UNIT
from fusedfacts.attention.error_bound import BlockBound
from fusedfacts.attention.gradient import gradient
from fusedfacts.attention.gradient_bound import gradient_bounds
from fusedfacts.attention.pattern import Pattern
from fusedfacts.schedules import (
    backward_forms,
    flash2_backward,
    flash_backward,
    gradient_tiles,
    loops,
)
from fusedfacts.schedules.backward_methods import BACKWARD
from fusedfacts.schedules.memory import Memory
from fusedfacts.schedules.shape import Shape, Tiles
from hypothesis import given, settings
from hypothesis import strategies as st


@st.composite
def problems(draw, longest=40, widest=3):
    """A shape and tiles: ragged, with shared heads, a cache, a window, rows that see nothing."""
    size = st.integers(1, longest)
    reach = st.integers(-1, 12)
    kv_heads = draw(st.integers(1, 2))
    shape = Shape(
        draw(size),
        draw(size),
        draw(st.integers(1, widest)),
        heads=kv_heads * draw(st.integers(1, 3)),
        kv_heads=kv_heads,
        batch=draw(st.integers(1, 2)),
        causal=draw(st.booleans()),
        window=draw(st.none() | st.tuples(reach, reach)),
    )
    tile = st.integers(1, 20)
    return shape, Tiles(draw(tile), draw(tile), packed=draw(st.booleans()))


def moving(traffic):
    """Without the buffers that nothing touches."""
    return {
        kernel: {name: access for name, access in buffers.items() if any(access.values())}
        for kernel, buffers in traffic.items()
    }


def executed(name, shape, tiles):
    return moving(BACKWARD[name].count(shape, tiles))


def counted(name, shape, tiles):
    return moving(BACKWARD[name].form(shape, tiles))


@settings(max_examples=500)
@given(problem=problems())
@pytest.mark.parametrize("name", BACKWARD)
def test_the_closed_form_is_what_the_loops_do_in_every_buffer(name, problem):
    assert executed(name, *problem) == counted(name, *problem)


def test_the_forms_of_full_attention_are_those_of_the_page():
    """T key tiles: q, o and do once for each, dQ stored once more; standard 8 nd + 7 n^2."""
    n, d, bc = 100, 16, 32
    shape, tiles, passes = Shape(n, n, d), Tiles(8, bc), 4
    flash = backward_forms.flash(shape, tiles)["backward"]
    assert flash["do"] == {"loads": passes * n * d, "stores": 0}
    assert flash["dq"] == {"loads": passes * n * d, "stores": (passes + 1) * n * d}
    assert flash["dk"] == {"loads": 0, "stores": 2 * n * d}  # zeros first, as line 5 says
    assert flash["l"] == flash["m"] == {"loads": passes * n, "stores": 0}
    flash2 = backward_forms.flash2(shape, tiles)
    assert flash2["backward"]["dv"] == {"loads": 0, "stores": n * d}
    assert flash2["preprocess"]["delta"] == {"loads": 0, "stores": n}
    standard = backward_forms.standard(shape, tiles)
    moved = [sum(access.values()) for buffers in standard.values() for access in buffers.values()]
    assert sum(moved) == 8 * n * d + 7 * n * n


def test_a_size_beyond_any_memory_is_counted_at_once():
    n = 2**40
    shape, tiles = Shape(n, n, 128, heads=8, kv_heads=2, causal=True), Tiles(64, 96)
    passes = -(-n // 96)
    met = n * passes - 96 * passes * (passes - 1) // 2
    moved = backward_forms.flash2(shape, tiles)["backward"]["q"]
    assert moved == {"loads": 8 * 128 * met, "stores": 0}


def heads_of(shape, tiles, seed):
    """Tensors of one head of keys, and which keys each of its rows sees."""
    rows = shape.group * shape.n_q
    draw = np.random.default_rng(seed).standard_normal
    sizes = rows, shape.n_k, shape.n_k, rows
    tensors = [draw((size, shape.d)).astype(np.float32) for size in sizes]
    pattern = Pattern(
        shape.n_q,
        shape.n_k,
        shape.d,
        causal=shape.causal,
        align="bottom-right",
        window=shape.window,
    )
    seen = pattern.visible(0, shape.n_q)
    seen = np.ones((shape.n_q, shape.n_k), bool) if seen is None else seen
    seen = np.repeat(seen, shape.group, 0) if tiles.packed else np.tile(seen, (shape.group, 1))
    return tensors, pattern, seen


def kept_by_forward(exact, seen):
    """What a forward pass leaves, each number rounded once, and how far off that is."""
    block, sees = exact.forward, seen.any(axis=1)
    top = np.where(sees, np.where(seen, block.scores, -np.inf).max(axis=1, initial=-np.inf), 0)
    lse = np.where(sees, block.lse, 0)
    kept = {"o": block.output, "p": block.shares, "lse": lse, "m": top, "l": np.exp(lse - top)}
    off = UNIT * (2 + np.abs(top) + np.abs(lse))
    return kept, BlockBound(UNIT * np.abs(block.output), off, sees)


def within(name, shape, tiles, seed=0):
    """Whether dq, dk and dv lie within their bounds."""
    schedule = BACKWARD[name]
    tensors, pattern, seen = heads_of(shape, tiles, seed)
    exact = gradient(*tensors, lambda first, last: seen[first:last])
    left, forward = kept_by_forward(exact, seen)
    memory = Memory()
    for buffer, values in zip(("q", "k", "v", "do"), tensors, strict=True):
        memory.place(buffer, values)
    for buffer in schedule.kept:
        memory.place(buffer, left[buffer].astype(np.float32))
    schedule.run(shape, tiles, memory)
    bound = gradient_bounds(exact, tensors, pattern, schedule.order(shape, tiles), forward)
    return [
        bool(np.all(np.abs(memory.arrays[part] - getattr(exact, part)) <= getattr(bound, part)))
        for part in ("dq", "dk", "dv")
    ]


@settings(max_examples=100)
@given(problem=problems(longest=20, widest=8), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", BACKWARD)
def test_dq_dk_and_dv_lie_within_their_bounds(name, problem, seed):
    assert within(name, *problem, seed) == [True, True, True]


CACHED = Shape(9, 14, 4, heads=2, kv_heads=1, causal=True)
TILES = Tiles(4, 3)


def test_planted_errors_of_the_loops_are_seen_in_the_counts(monkeypatch):
    """A tile too many or too few, an initial store left out, a cache's offset forgotten."""
    right = {name: counted(name, CACHED, TILES) for name in BACKWARD}
    assert all(executed(name, CACHED, TILES) == right[name] for name in BACKWARD)
    seeing, store, cut = loops.queries_seeing, Memory.store, loops.cut

    def all_see(shape, first, last):
        return 0, shape.n_q

    def without_offset(shape, first, last):
        return seeing(Shape(shape.n_q, shape.n_q, shape.d, causal=True), first, last)

    for fault in (all_see, without_offset):
        with monkeypatch.context() as planted:
            planted.setattr(loops, "queries_seeing", fault)
            for name in ("fa1", "fa2"):
                assert executed(name, CACHED, TILES) != right[name]

    def no_initial(memory, name, first, last, values):
        if isinstance(values, float):
            memory.written[name][first:last] = True
        else:
            store(memory, name, first, last, values)

    with monkeypatch.context() as planted:
        planted.setattr(Memory, "store", no_initial)
        for name in ("fa1", "fa2"):
            assert executed(name, CACHED, TILES) != right[name]

    with monkeypatch.context() as planted:
        planted.setattr(loops, "cut", lambda first, last, rows: list(cut(first, last, rows))[:-1])
        for name in BACKWARD:
            assert executed(name, CACHED, TILES) != right[name]


def test_planted_errors_of_the_arithmetic_are_seen_in_the_values(monkeypatch):
    """D forgotten, dQ not updated but replaced, heads that share keys not summed."""
    for name in BACKWARD:
        assert within(name, CACHED, TILES) == [True, True, True]
    for name, module in (("fa1", flash_backward), ("fa2", flash2_backward)):
        for where, what, fault, held in (
            (module, "row_products", lambda do, o: 0 * do[:, 0], [False, False, True]),
            (module, "plus", lambda old, new: new, [False, False, False]),
            (gradient_tiles, "plus", lambda old, new: new, [True, False, False]),
        ):
            with monkeypatch.context() as planted:
                planted.setattr(where, what, fault)
                assert within(name, CACHED, TILES) == held
