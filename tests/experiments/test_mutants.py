import pytest
from fusedfacts.attention.arithmetic import fused_order
from fusedfacts.attention.compare import compare
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.tiled import Faults
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import mutants
from fusedfacts.experiments.mutants import MUTANTS, enforce, inputs, run, same_bits

INPUTS = inputs(23)


def outcome(mutant, name):
    given = INPUTS[name]
    order = fused_order(mutants.D, mutants.KEY_ROWS)
    bounded = attention_bounds(given.q, given.k, given.v, [order], causal=given.causal)
    wrong, right = run(given, MUTANTS[mutant].faults), run(given, Faults())
    return (
        compare(wrong.output, bounded.exact, bounded.bounds[0]),
        same_bits(wrong.output, right.output),
    )


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_checker_sees_the_mutant_where_it_must(mutant):
    seen, _ = outcome(mutant, MUTANTS[mutant].seen_by)
    assert not seen.passed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_no_bit_changes_where_the_mutant_cannot_show(mutant):
    seen, bit_equal = outcome(mutant, MUTANTS[mutant].unseen_by)
    assert bit_equal
    assert seen.passed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_checker_that_misses_it_stops_the_build(mutant):
    seen, _ = outcome(mutant, MUTANTS[mutant].unseen_by)
    with pytest.raises(ClaimError, match=f"the checker missed {mutant}"):
        enforce(mutant, MUTANTS[mutant].seen_by, seen, bit_equal=True)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_proof_that_does_not_hold_stops_the_build(mutant):
    seen, bit_equal = outcome(mutant, MUTANTS[mutant].seen_by)
    with pytest.raises(ClaimError, match=f"{mutant} changed bits"):
        enforce(mutant, MUTANTS[mutant].unseen_by, seen, bit_equal)


def test_the_family_is_the_one_that_the_lesson_names():
    faults = [mutant.faults for mutant in MUTANTS.values()]
    assert len(set(faults)) == len(faults) == 10
    assert Faults() not in faults


@pytest.mark.parametrize("seed", [0, 1, 7, 4294967295])
def test_the_matrix_holds_for_other_seeds(seed):
    assert mutants.compute(seed)["matrix"].keys() == MUTANTS.keys()
