"""The closed formulas against a loop so plain that it can be checked by eye."""

import itertools

import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import HEAD_DIMS, fused_key_rows
from fusedfacts.errors import FactsError
from fusedfacts.schedules import forward_forms
from fusedfacts.schedules.shape import Shape, Tiles

RAGGED = [*range(1, 20), 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 256, 257, 300, 512, 513]


def slow_key_elements(n, d, causal):
    br, elements = 2048 // d, 0
    for first in range(0, n, br):
        last = min(first + br, n)
        for key in range(n):
            if not causal or key < last:
                elements += d
    return elements


def slow_pairs(n, causal):
    return sum(1 for row in range(n) for key in range(n) if not causal or key <= row)


def slow_row_tiles(n, width, causal):
    return sum(len(range(0, row + 1 if causal else n, width)) for row in range(n))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", HEAD_DIMS)
def test_closed_forms_equal_the_loop(d, causal):
    for n in RAGGED:
        assert traffic.key_elements(n, d, causal) == slow_key_elements(n, d, causal)
        assert traffic.pairs(n, causal) == slow_pairs(n, causal)
        width = fused_key_rows(d)
        assert traffic.row_tiles(n, width, causal) == slow_row_tiles(n, width, causal)


def test_the_three_column_multiplication_of_docs_counts_md():
    # fused = 4 d (2 n + 2 n ceil(n / br)), unfused = fused + 16 n^2
    for n in RAGGED:
        for d in HEAD_DIMS:
            fused = 4 * d * (2 * n + 2 * n * -(-n // (2048 // d)))
            assert traffic.total_bytes(traffic.fused(n, d)) == fused
            assert traffic.total_bytes(traffic.unfused(n, d)) == fused + 16 * n * n
            for causal in (False, True):
                moved = traffic.total_bytes(traffic.fused(n, d, causal))
                assert moved >= traffic.compulsory_bytes(n, d)


@pytest.mark.parametrize("key_rows", [None, 1, 3, 500])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", HEAD_DIMS)
def test_the_other_loop_order_is_its_two_loops(d, causal, key_rows):
    bc, br = key_rows or fused_key_rows(d), 2048 // d
    for n in (1, 2, 31, 33, 129):
        moved = dict.fromkeys("qkvml", 0) | {"o": 0}
        for first_key in range(0, n, bc):
            keys = min(bc, n - first_key)
            moved["k"], moved["v"] = moved["k"] + keys * d, moved["v"] + keys * d
            for first in range(first_key if causal else 0, n, br):
                for row in range(first, min(first + br, n)):
                    assert not causal or row >= first_key  # it sees a key, so none is in vain
                    moved |= {name: moved[name] + d for name in "qo"}
                    moved |= {name: moved[name] + 1 for name in "ml"}
        kernels = traffic.kv_outer(n, d, causal, key_rows)
        assert {name: both["loads"] for name, both in kernels["kv_outer"].items()} == moved
        stored = {name: both["stores"] for name, both in kernels["kv_outer"].items()}
        assert stored == moved | dict.fromkeys("qkv", 0)
        initial = {name: both["stores"] for name, both in kernels["kv_start"].items()}
        assert initial == {"o": n * d, "m": n, "l": n}


@pytest.mark.parametrize("causal", [False, True])
def test_the_kernels_of_the_other_loop_order_move_what_the_paper_s_schedule_does(causal):
    for n, d in itertools.product(RAGGED, HEAD_DIMS):
        of_paper = forward_forms.flash(Shape(n, n, d, causal=causal), Tiles(2048 // d, 1024 // d))
        start, loop = traffic.kv_outer(n, d, causal).values()
        for buffer, moved in of_paper["forward"].items():
            before = start.get(buffer, {"loads": 0, "stores": 0})
            together = {access: before[access] + loop[buffer][access] for access in moved}
            assert together == moved, (n, d, buffer)


def test_what_kernels_readme_md_says_of_the_other_loop_order():
    """Three times fused where sequences are long, and at d 64 more than unfused."""
    n = 2**30
    for d in HEAD_DIMS:
        fused, other, unfused = (
            traffic.total_bytes(form(n, d))
            for form in (traffic.fused, traffic.kv_outer, traffic.unfused)
        )
        assert 3 <= other / fused < 3 + 4 / d  # the maxima and totals, loaded and stored
        assert (other > unfused) == (d >= 64)
        tiles = n * d // 1024
        assert other == 4 * (n * d * (3 * tiles + 3) + n * (4 * tiles + 2))


def test_a_sequence_of_two_to_the_forty_answers_at_once():
    n = 2**40
    assert traffic.total_bytes(traffic.fused(n, 64)) == 4 * 64 * (2 * n + 2 * n * (n // 32))
    assert traffic.pairs(n, causal=True) == n * (n + 1) // 2


@pytest.mark.parametrize(("n", "d"), [(0, 16), (-1, 16), (4, 20), (4, 0)])
def test_sizes_that_no_kernel_serves_are_refused(n, d):
    with pytest.raises(FactsError, match="expected"):
        traffic.fused(n, d)
