"""How the sweep is cut into jobs, and what a job asks for."""

import tracemalloc

import pytest
from fusedfacts.attention.problem import HEAD_DIMS
from fusedfacts.experiments import sweep
from fusedfacts.pipeline import jobs
from hypothesis import given
from hypothesis import strategies as st

N_VALUES = st.lists(st.integers(1, 10**6), min_size=1, max_size=12, unique=True)
DIMS = st.lists(st.sampled_from(HEAD_DIMS), min_size=1, unique=True)


@given(n_values=N_VALUES, head_dims=DIMS)
def test_every_size_is_in_exactly_one_part(n_values, head_dims):
    parts = jobs.sweep_parts(n_values, head_dims)
    found = sorted((int(name[1:].split("-")[0]), n) for name, part in parts.items() for n in part)
    assert found == sorted((d, n) for d in head_dims for n in n_values)


@given(n_values=N_VALUES, head_dims=DIMS)
def test_a_part_of_several_sizes_stays_small(n_values, head_dims):
    for name, part in jobs.sweep_parts(n_values, head_dims).items():
        d = int(name[1:].split("-")[0])
        assert name == f"d{d}-n{part[-1]}"
        if len(part) > 1:
            assert sum(jobs.work(n, d) for n in part) <= jobs.PART_PAIRS_TIMES_D


@pytest.mark.slow
def test_a_job_stays_within_its_memory_which_grows_with_n():
    """What NumPy holds; one table of n by n would be more than twice what is asked for."""
    n, d = 6000, 16
    asked = jobs.memory_mb(n, d) - jobs.BASE_MB
    assert 4 * n * n / 1e6 > 2 * asked
    assert jobs.memory_mb(2 * n, d) - jobs.BASE_MB <= 2 * asked
    sweep.size_results(2, d, 1)  # the compiler's memory is not what is measured here
    tracemalloc.start()
    try:
        sweep.size_results(n, d, 1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak / 1e6 <= asked


def test_the_largest_size_asks_for_what_a_node_has():
    """Measured at n 65,536, d 16: 4.5 minutes and 390 MB."""
    assert jobs.memory_mb(65536, 128) < 2_000
    assert jobs.minutes([65536], 128) < 5 * 60
