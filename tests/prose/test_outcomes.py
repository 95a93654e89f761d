"""Each outcome follows the facts, and no outcome is left without made-up facts."""

import pytest
from fusedfacts.prose import outcomes
from support.made_up import TURNED, otherwise

SIZES = {"n": 4096, "d": 64}


def test_every_outcome_holds_of_the_published_facts_and_can_be_turned(facts):
    found = outcomes.of_film(facts, **SIZES)
    assert set(found) == set(TURNED)
    assert all(found.values())


@pytest.mark.parametrize("outcome", TURNED)
def test_an_outcome_turns_with_its_fact_and_with_no_other(facts, outcome):
    found = outcomes.of_film(otherwise(facts, outcome), **SIZES)
    assert [name for name, holds in found.items() if not holds] == [outcome]


def test_a_little_is_a_tenth_at_most(facts):
    changed = otherwise(facts)
    size = next(s for s in changed["traffic"] if (s["n"], s["d"]) == (4096, 64))
    fused, unfused = size["fused"]["operations"], size["unfused"]["operations"]
    for kind in ("additions", "multiplications", "exps"):
        right = fused[kind]
        for times, little in ((1.09, True), (1.11, False), (1, False)):
            fused[kind] = int(unfused[kind] * times)
            found = outcomes.of_film(changed, **SIZES)["fused_does_little_more"]
            assert found is little, (kind, times)
        fused[kind] = right


def test_every_tile_width_counts(facts):
    changed = otherwise(facts)
    changed["attention"]["heads"][3]["tiled_4"]["within_bound"] = False
    assert not outcomes.of_facts(changed)["within_bound_on_every_head"]
