"""The film's template: sentences that follow the facts, and what is refused in it."""

import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.lesson import scenes
from fusedfacts.prose import marks, templates
from jinja2 import nodes
from support.common import PUBLISHED
from support.made_up import TURNED, otherwise

SIZES = scenes.Sizes(4096, 64, 16)
TEXT = templates.source(scenes.TEMPLATE)


def words(facts):
    """Everything that the film says, as one text."""
    found = scenes.scenes(facts, SIZES)
    return marks.plain(" ".join(scene.text for scene in found)).replace(scenes.PAUSE, "")


@pytest.fixture(scope="module")
def told(facts):
    """The film's words where one outcome turned out otherwise, and of the facts as they are."""
    return {
        "": words(facts),
        **{outcome: words(otherwise(facts, outcome)) for outcome in TURNED},
    }


def branches():
    """The words of every branch of the template, without those around the branches."""
    tree = templates.parsed(TEXT, scenes.TEMPLATE)
    for choice in tree.find_all(nodes.If):
        for body in (choice.body, choice.else_):
            for part in body:
                for data in part.find_all(nodes.TemplateData):
                    text = " ".join(data.data.split())
                    if len(text) > len(" MiB."):
                        yield text


def test_every_variant_is_said_by_some_facts(told):
    wanted = list(branches())
    assert len(wanted) > 2 * len(TURNED)
    for text in wanted:
        assert any(text in said for said in told.values()), text


@pytest.mark.parametrize(
    ("outcome", "says", "not_this"),
    [
        ("within_bound_on_every_head", "It did not hold on all four heads", "both lie within"),
        ("control_wrong_on_every_head", "head by head: 8, 0, 6, 8.", "on all four heads: 8"),
        ("control_caught_on_every_head", "the checker saw it: three.", "on every head"),
        ("control_right_only_in_first_tile", "from rounding: 2 in all", "only those"),
        ("probe_fits_fp16", "fp16 calls it infinity", "It fits"),
        ("held_out_overflows", "e to each of 307,200 scores would fit", "e to 508 of"),
        ("subtraction_keeps_terms_at_most_one", "still too large: 7.", "nothing overflows"),
        ("fused_does_little_more", "other arithmetic", "a little more"),
    ],
)
def test_another_fact_gives_another_sentence(told, outcome, says, not_this):
    assert says in told[outcome]
    assert not_this not in told[outcome]
    assert not_this in told[""]


def test_a_claim_removed_while_a_sentence_quotes_it_stops_the_build(facts):
    film = canonical_json.read(PUBLISHED / "film.json")
    quoted = {
        q["claim"] for scene in film["scenes"] for cue in scene["cues"] for q in cue["quotes"]
    }
    assert len(quoted) > 25
    for identifier in sorted(quoted)[::8]:
        without = dict(facts, claims=[c for c in facts["claims"] if c["id"] != identifier])
        with pytest.raises(ClaimError, match=rf"found no claim {identifier}, expected one"):
            scenes.scenes(without, SIZES)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (TEXT + "\n# And then\n\nMore.\n", "found 11 scenes, expected 10"),
        (TEXT.replace("{{ pause }}", ""), r"pauses, expected 1"),
        (TEXT.replace("Goodnight.", "Goodnight. {{ pause }}"), r"pauses, expected 1"),
        ("Hello there.\n" + TEXT, r"found 'Hello there.* before the first title"),
        (TEXT.replace("# The question", "# Goodnight"), "found the title 'Goodnight' twice"),
        (
            TEXT.replace("{{ pause }}", "").replace("# Goodnight", "# Goodnight {{ pause }}"),
            "or a pause in its title",
        ),
        (TEXT.replace("# Goodnight\n", "# Goodnight\n\n{#") + "#}", "has no words"),
    ],
)
def test_another_shape_than_the_timeline_s_is_refused(facts, changed, complaint):
    with pytest.raises(FactsError, match=complaint):
        scenes.scenes(facts, SIZES, changed)


def test_a_pause_may_stand_on_a_line_of_its_own(facts):
    text = TEXT.replace("the fused? {{ pause }}", "the fused?\n{{ pause }}")
    assert text != TEXT
    assert scenes.scenes(facts, SIZES, text) == scenes.scenes(facts, SIZES)


def test_a_quote_that_is_two_words_is_refused(facts):
    changed = otherwise(facts)
    claim = next(c for c in changed["claims"] if c["id"] == "control.rows")
    claim["display"] = "96 or so"
    with pytest.raises(ClaimError, match="expected one word that a caption can keep together"):
        scenes.scenes(changed, SIZES)


def test_sizes_that_were_not_swept_are_named(facts):
    with pytest.raises(ClaimError, match="found no size n = 511, d = 64"):
        scenes.scenes(facts, scenes.Sizes(511, 64, 16))
