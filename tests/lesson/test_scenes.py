"""The film's template: sentences that follow the facts, and what is refused in it."""

import pytest
from fusedfacts.errors import FactsError
from fusedfacts.lesson import scenes
from fusedfacts.prose import marks, templates
from jinja2 import Environment, nodes
from support.made_up import SILENT, TURNED, otherwise

SIZES = scenes.Sizes(4096, 64, 16)
TEXT = templates.source(scenes.TEMPLATE)


def words(facts):
    """Everything that the film says, as one text."""
    found = scenes.scenes(facts, SIZES)
    return marks.plain(" ".join(scene.text for scene in found)).replace(scenes.PAUSE, "")


@pytest.fixture(scope="module")
def films(facts):
    """The film's words where one outcome turned out otherwise, and of the facts as they are."""
    found = {outcome: words(otherwise(facts, outcome)) for outcome in TURNED}
    return {"": words(facts), **found, "silent": words(otherwise(facts, *SILENT))}


def branches():
    """The words of every branch of the template, without those around the branches."""
    for choice in Environment(autoescape=True).parse(TEXT).find_all(nodes.If):
        for part in (*choice.body, *choice.else_):
            for data in part.find_all(nodes.TemplateData):
                text = " ".join(data.data.split())
                if len(text) > len(" MiB."):
                    yield text


def test_every_variant_is_said_by_some_facts(films):
    wanted = list(branches())
    assert len(wanted) > 2 * len(TURNED)
    for text in wanted:
        assert any(text in film for film in films.values()), text


@pytest.mark.parametrize(
    ("outcome", "says", "not_this"),
    [
        ("within_bound_on_every_head", "It did not hold on all four heads", "both lie within"),
        ("control_wrong_on_every_head", "head by head: 8, 0, 6, 8.", "on all four heads: 8"),
        ("control_caught_on_every_head", "the checker saw it: three.", "on every head"),
        ("silent", "The rest cannot show it", "on every head"),
        ("control_right_only_in_first_tile", "from rounding: 2 in all", "only those"),
        ("probe_fits_fp16", "fp16 calls it infinity", "It fits"),
        ("held_out_overflows", "e to each of 307,200 scores would fit", "e to 508 of"),
        ("subtraction_keeps_terms_at_most_one", "still too large: 7.", "nothing overflows"),
        ("fused_does_little_more", "other arithmetic", "a little more"),
    ],
)
def test_another_fact_gives_another_sentence(films, outcome, says, not_this):
    assert says in films[outcome]
    assert not_this not in films[outcome]
    assert not_this in films[""]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("# Goodnight", "# And then\n\nMore.\n\n# Goodnight", "And then, Goodnight.*expected 10"),
        ("{{ pause }}", "", "found a pause in no scene, expected 3"),
        (
            "# Goodnight",
            "# Goodnight\n\nWord {{ pause }}",
            r"in scene \d+ \(.*, scene 10 \(Goodnight",
        ),
    ],
)
def test_another_shape_than_the_timeline_s_is_refused(facts, monkeypatch, old, new, found):
    monkeypatch.setattr(templates, "source", lambda name: TEXT.replace(old, new))
    with pytest.raises(FactsError, match=found):
        scenes.scenes(facts, SIZES)
