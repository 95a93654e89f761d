import pytest
from fusedfacts.attention.tiled import Faults, tiled
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import mutants
from fusedfacts.experiments.control import right_answer
from fusedfacts.experiments.mutants import FAULTS, KEY_ROWS, MUTANTS, enforce, inputs

INPUTS = inputs(23)


def outcome(mutant, name):
    """What the checker says of the mutant on an input, and whether every bit is the right one."""
    given = {**INPUTS[name]._asdict(), "key_rows": KEY_ROWS}
    right, compared = right_answer(**given, name=name)
    wrong = tiled(**given, faults=FAULTS[mutant]).output
    return compared(wrong), wrong.tobytes() == right.output.tobytes()


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_seen_where_it_must_be_and_changes_no_bit_where_it_cannot(mutant):
    """And a checker that misses it, or a proof that does not hold, stops the build."""
    must, cannot = MUTANTS[mutant]["must_be_seen_by"], MUTANTS[mutant]["cannot_be_seen_by"]
    wrong, same_there = outcome(mutant, must)
    right, same_here = outcome(mutant, cannot)
    assert (wrong.passed, same_there) == (False, False)
    assert (right.passed, same_here) == (True, True)
    with pytest.raises(ClaimError, match=f"the checker missed {mutant}"):
        enforce(mutant, must, right, bit_equal=True)
    with pytest.raises(ClaimError, match=f"{mutant} changed bits"):
        enforce(mutant, cannot, wrong, bit_equal=False)


def test_the_family_is_the_one_that_the_lesson_names():
    assert FAULTS.keys() == MUTANTS.keys()
    assert len(set(FAULTS.values()) - {Faults()}) == len(FAULTS) == 10


@pytest.mark.parametrize("seed", [0, 7, 4294967295])
def test_the_matrix_holds_for_other_seeds(seed):
    assert mutants.compute(seed)["matrix"].keys() == MUTANTS.keys()
