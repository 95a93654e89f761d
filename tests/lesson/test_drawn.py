"""drawn.json: what a page loads to play the film."""

import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.lesson import drawn, scenes
from fusedfacts.lesson import film as document
from support.common import PUBLISHED
from support.made_up import TURNED, otherwise

SIZES = scenes.Sizes(4096, 64, 16)
# A tenth of a second of a slow phone's 1.6 Mbit/s.
BYTES_MOST = 20_000


def test_the_published_file_is_what_the_facts_give_and_small(facts, film):
    text = canonical_json.dumps(drawn.drawn(facts, film))
    assert (PUBLISHED / "drawn.json").read_text(encoding="utf-8") == text
    assert len(text.encode()) <= BYTES_MOST


@pytest.mark.parametrize("outcome", [None, *TURNED])
def test_every_claim_that_is_said_or_drawn_is_there_as_it_is_in_the_facts(facts, outcome):
    other = otherwise(facts, outcome) if outcome else facts
    film = document.film(other, SIZES)
    claims = {claim["id"]: claim for claim in other["claims"]}
    found = drawn.drawn(other, film)
    for claim in found["claims"]:
        assert claim == {key: claims[claim["id"]][key] for key in ("id", "display", "value")}
    said = {q["claim"] for scene in film["scenes"] for cue in scene["cues"] for q in cue["quotes"]}
    wanted = said | {claim.format(**SIZES.suffixes()) for claim in drawn.CLAIMS}
    assert {claim["id"] for claim in found["claims"]} >= wanted & set(claims)


def test_rows_are_those_of_the_facts(facts, film):
    found = drawn.drawn(facts, film)

    def part_of(part, whole):
        if isinstance(part, dict):
            return all(part_of(value, whole[key]) for key, value in part.items())
        if isinstance(part, list):
            return len(part) == len(whole) and all(map(part_of, part, whole))
        return part == whole

    del found["claims"]
    assert part_of(found, facts)
