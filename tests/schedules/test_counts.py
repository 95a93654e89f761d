"""Closed forms of schedules against their executed loops, in every buffer."""

import random

import pytest
from fusedfacts.schedules import forward_forms, loops, methods, sums
from fusedfacts.schedules.memory import Memory
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


def brute(shape, p, j):
    """Tell whether the query at position p sees key j."""
    distance = j - (p + shape.n_k - shape.n_q)
    before, after = shape.window or (-1, -1)
    after = 0 if shape.causal else after
    return (before == -1 or distance >= -before) and (after == -1 or distance <= after)


def test_ranges_pairs_and_compulsory_bytes_are_those_of_the_mask():
    rng = random.Random("ranges")
    for _ in range(150):
        shape, _ = drawn(rng)
        mask = [[brute(shape, p, j) for j in range(shape.n_k)] for p in range(shape.n_q)]
        for p, row in enumerate(mask):
            seen = [j for j, sees in enumerate(row) if sees]
            start, end = loops.keys_seen(shape, p, p + 1)
            assert list(range(start, end)) == seen
        for j in range(shape.n_k):
            start, end = loops.queries_seeing(shape, j, j + 1)
            assert list(range(start, end)) == [p for p in range(shape.n_q) if mask[p][j]]
        heads, kv_heads = shape.batch * shape.heads, shape.batch * shape.kv_heads
        assert forward_forms.pairs(shape) == heads * sum(map(sum, mask))
        needed = forward_forms.compulsory(shape)
        assert needed["q"] == heads * sum(map(any, mask)) * shape.d
        assert needed["k"] == kv_heads * sum(map(any, zip(*mask, strict=True))) * shape.d


def test_sums_over_tiles_equal_the_loop():
    rng = random.Random("sums")
    for _ in range(3000):
        count, a, b = rng.randint(0, 9), rng.randint(1, 9), rng.randint(-40, 40)
        shift, most = rng.randint(-30, 30), rng.randint(1, 30)
        m, per = rng.randint(1, 5), rng.randint(1, 6)
        plus = rng.choice([0, per - 1])
        terms = [min(most, max(0, (a * t + b) // m + shift)) for t in range(count)]
        wanted = sum((term + plus) // per for term in terms)
        assert sums.clipped_sum(count, a, b, m, shift, most, plus, per) == wanted
        assert sums.floor_sum(count, a, b, m) == sum((a * t + b) // m for t in range(count))


@pytest.mark.parametrize("name", FORWARD)
@pytest.mark.parametrize("packed", [False, True])
def test_two_to_the_forty_words_are_counted_at_once(name, packed):
    n = 2**40
    shape = Shape(n + 5, n + 99, 128, heads=24, kv_heads=8, causal=True, window=(2**33, 0))
    tiles = Tiles(97, 61, splits=11, packed=packed)
    total = sum(moved(FORWARD[name].form(shape, tiles)).values())
    assert total > sum(forward_forms.compulsory(shape).values())


def test_the_forms_as_they_are_written_down():
    """Sums by hand: T = ceil(n/bc), R = ceil(n/br), and keys fetched under a causal window."""
    for n, d, br, bc in ((100, 16, 32, 8), (64, 4, 16, 16), (7, 3, 9, 2)):
        shape, tiles = Shape(n, n, d), Tiles(br, bc)
        t, r = -(-n // bc), -(-n // br)
        assert forward_forms.flash(shape, tiles)["forward"] == {
            "q": {"loads": t * n * d, "stores": 0},
            "k": {"loads": n * d, "stores": 0},
            "v": {"loads": n * d, "stores": 0},
            "o": {"loads": t * n * d, "stores": (t + 1) * n * d},
            "l": {"loads": t * n, "stores": (t + 1) * n},
            "m": {"loads": t * n, "stores": (t + 1) * n},
        }
        assert forward_forms.flash2(shape, tiles)["forward"]["k"]["loads"] == r * n * d
        assert sum(moved(forward_forms.standard(shape, tiles)).values()) == 4 * n * d + 4 * n * n
    for n_q, off, br, w in ((100, 30, 16, 20), (64, 0, 16, 70), (9, 5, 4, 1)):
        shape = Shape(n_q, n_q + off, 1, causal=True, window=(w - 1, 0))
        full, rest = divmod(n_q, br)
        t0 = min(full, -(-max(0, w - 1 - off) // br))
        keys = br * t0 * (t0 + 1) // 2 + t0 * off + (full - t0) * (br + w - 1)
        keys += (rest > 0) * (n_q + off - max(0, full * br + off - w + 1))
        assert forward_forms.flash2(shape, Tiles(br, 5))["forward"]["k"]["loads"] == keys


def all_equal(name):
    """Compare form and loops over some shapes, as the test above does over many."""
    rng, schedule = random.Random("planted"), FORWARD[name]
    drawn_shapes = [drawn(rng) for _ in range(60)]
    return all(moved(schedule.form(*one)) == moved(schedule.count(*one)) for one in drawn_shapes)


def one_tile_too_many(shape, first, last):
    return 0, shape.n_k


def no_cache(shape, first, last):
    return 0 if shape.after is None else max(0, first - shape.after), shape.n_q


class NoInitialStore(Memory):
    def store(self, name, first, last, values):
        if isinstance(values, float):  # one number for all: how Algorithm 1 begins
            self.written[name][first:last] = True
        else:
            super().store(name, first, last, values)


PLANTED = {
    "one tile too many": ("fa2", loops, "keys_seen", one_tile_too_many),
    "a cache's offset forgotten": ("fa1", loops, "queries_seeing", no_cache),
    "no initial store": ("fa1", methods, "Memory", NoInitialStore),
    "keys of a head fetched twice": ("fa2", loops, "streams", lambda *given: 2 * STREAMS(*given)),
}
STREAMS = loops.streams


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_makes_a_difference(fault, monkeypatch):
    name, module, function, mistaken = PLANTED[fault]
    assert all_equal(name)
    monkeypatch.setattr(module, function, mistaken)
    assert not all_equal(name)
