"""The report's pages: every fact with how it was checked, and words that follow the facts."""

import copy
import re
from html import unescape

import pytest
from fusedfacts.figures import gallery
from fusedfacts.lesson import report
from support.made_up import SILENT, TURNED, otherwise


def visible(html):
    """What a reader of a page sees."""
    return unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL))


def rows(html):
    """The cells of each row of a page's tables."""
    return [
        [visible(cell).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", html)
    ]


def test_every_fact_is_there_with_value_unit_class_and_how_it_was_checked(facts):
    html = report.claims(facts)
    text, listed = " ".join(visible(html).split()), rows(html)
    for claim in facts["claims"]:
        statement = " ".join(claim["statement"].split())
        unit = "" if claim["unit"] == "1" else claim["unit"]
        assert [statement, claim["display"], unit, claim["class"], claim["id"]] in listed
        for key in ("checked_by", "does_not_prove", "computed_by"):
            assert " ".join(claim[key].split()) in text, (claim["id"], key)
    for file in facts["inputs"].values():
        assert file["sha256"] in text


def test_every_picture_has_a_caption(facts):
    found = report.captions(facts)
    assert list(found) == list(gallery.GALLERY)
    assert all(len(text) > 100 for text in found.values())


@pytest.mark.parametrize(
    ("outcome", "picture", "says"),
    [
        ("subtraction_keeps_terms_at_most_one", "scores", "that befalls 508 of them."),
        ("control_caught_on_every_head", "control", "on three of four heads only"),
        (" ".join(SILENT), "control", "on three of four heads; the rest cannot show it, as"),
        ("control_right_only_in_first_tile", "control", "others that pass, too: 2."),
        ("held_out_overflows", "scores", "None of them is so large"),
    ],
)
def test_captions_follow_the_facts(facts, outcome, picture, says):
    changed = report.captions(otherwise(facts, *outcome.split()))
    assert says in changed[picture]
    assert changed[picture] != report.captions(facts)[picture]


def test_every_cell_of_the_worked_case_is_that_of_the_facts(facts):
    page = report.worked(facts)
    for value in (f"{facts['worked']['fused_bytes']:,}", str(facts["worked"]["answer"])):
        assert value in visible(page)
    found = {row[0]: row[1:] for row in rows(page)}
    steps = facts["worked"]["steps"]
    for label, key in (
        ("scores", "scores"),
        ("running maximum", "maximum"),
        ("weights, e to score less maximum", "weights"),
        ("factor on what ran before", "factor"),
        ("running total", "total"),
        ("running output, first column", "output"),
    ):
        values = [step[key] if isinstance(step[key], list) else [step[key]] for step in steps]
        assert [[float(x) for x in cell.split(", ")] for cell in found[label]] == values


def test_the_first_page_follows_the_facts(facts):
    text = report.index(facts)
    assert "lie within their bounds on all four heads" in text
    for shown in (*facts["left_out"], *(source["title"] for source in facts["sources"])):
        assert shown in text
    changed = report.index(otherwise(facts, *TURNED))
    assert "does not lie within its bounds on every head" in changed


def test_the_pages_serve_any_sweep(facts):
    """A single length, a single head dimension."""
    changed = copy.deepcopy(facts)
    changed["traffic"] = [changed["traffic"][0]]
    assert "At 64 words and 16 numbers a head" in report.captions(changed)["traffic"]
    report.index(changed)
