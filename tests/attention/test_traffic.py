"""The closed formulas against a loop so plain that it can be checked by eye."""

import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import HEAD_DIMS, fused_key_rows
from fusedfacts.errors import FactsError

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


def test_a_sequence_of_two_to_the_forty_answers_at_once():
    n = 2**40
    assert traffic.total_bytes(traffic.fused(n, 64)) == 4 * 64 * (2 * n + 2 * n * (n // 32))
    assert traffic.pairs(n, causal=True) == n * (n + 1) // 2


@pytest.mark.parametrize(("n", "d"), [(0, 16), (-1, 16), (4, 20), (4, 0)])
def test_sizes_that_no_kernel_serves_are_refused(n, d):
    with pytest.raises(FactsError, match="expected"):
        traffic.fused(n, d)
