"""index.html as it is published: valid, every number a link to its claim, no style or script."""

import json
import re
from contextlib import suppress
from urllib.parse import urlsplit

import html5lib
import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError
from fusedfacts.lesson import film as film_document
from fusedfacts.lesson import page, scenes
from fusedfacts.prose import forms, templates
from support.common import PUBLISHED, ROOT
from support.made_up import TURNED, otherwise

SOURCES = ROOT / "workflow" / "page"


@pytest.fixture(scope="module")
def document(facts, film):
    return page.page(facts, film)


@pytest.fixture(scope="module")
def tree(document):
    """The page, parsed as strictly as the parser can."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(document)


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def test_the_published_page_is_what_the_facts_give(document):
    assert (PUBLISHED / "index.html").read_text(encoding="utf-8") == document


def test_what_the_page_loads_is_published_as_it_stands():
    for path in SOURCES.rglob("*.*"):
        copy = PUBLISHED / path.relative_to(SOURCES)
        assert copy.read_bytes() == path.read_bytes(), copy
    for path in ROOT.glob("kernels/*.[wj]*"):
        assert (PUBLISHED / "kernels" / path.name).read_bytes() == path.read_bytes()
    for name in ("weights.safetensors", "vocabulary.json", "probe.txt", "held_out.txt"):
        assert (PUBLISHED / "model" / name).read_bytes() == (ROOT / "model" / name).read_bytes()


def test_ids_are_unique_and_every_link_within_the_page_leads_somewhere(tree):
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for link in tree.iter("a"):
        if link.get("href", "").startswith("#"):
            assert link.get("href")[1:] in ids, link.get("href")
    for attribute in ("aria-labelledby", "aria-describedby", "for"):
        for element in tree.iter():
            for name in (element.get(attribute) or "").split():
                assert name in ids, name


def test_links_to_files_lead_to_published_files(tree):
    for element in tree.iter():
        for attribute in ("href", "src", "data-src"):
            target = element.get(attribute) or "#"
            if element.tag == "a" and target.startswith("https://arxiv.org/abs/"):
                continue  # where a reader may go; nothing is loaded from there
            assert not urlsplit(target).scheme, target
            if not target.startswith("#"):
                assert (PUBLISHED / target).is_file(), target


def test_what_a_visitor_must_know_before_pressing_is_said(tree, film):
    text = text_of(tree)
    for words in ("through WebGPU", "stops to ask you", "speaks in captions", "host is Pylon"):
        assert words in text, words
    assert f"A film of {film_document.clock(film['duration_ms'])} minutes" in text


def test_nothing_in_the_document_runs_or_styles_itself(tree):
    """What a strict Content-Security-Policy would refuse is not there."""
    policy = next(m for m in tree.iter("meta") if m.get("http-equiv")).get("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for element in tree.iter():
        assert not element.get("style")
        assert not [name for name in element.attrib if str(name).startswith("on")]
        if element.tag == "script":
            assert element.get("src")
            assert not element.text


def displays(claims, identifier):
    """Every text by which a claim may be quoted."""
    for form in ("", "word", "Word", "places=1"):
        with suppress(ClaimError):
            yield forms.quote(claims, identifier, form)


def test_every_number_of_the_words_is_a_link_to_its_claim(tree, facts, film):
    claims, shown = forms.by_id(facts), set()
    for link in tree.iter("a"):
        if link.get("class") == "n":
            identifier = link.get("href").removeprefix("#claim-")
            assert text_of(link) in displays(claims, identifier), identifier
            shown.add(identifier)
    said = {q["claim"] for scene in film["scenes"] for cue in scene["cues"] for q in cue["quotes"]}
    assert said <= shown


def test_each_claim_shows_value_how_it_was_computed_and_what_it_does_not_prove(tree, facts):
    claims = forms.by_id(facts)
    listed = [e for e in tree.iter("div") if (e.get("id") or "").startswith("claim-")]
    assert len(listed) > 30
    for element in listed:
        claim, text = claims[element.get("id").removeprefix("claim-")], text_of(element)
        for key in ("display", "statement", "computed_by", "checked_by", "does_not_prove"):
            assert " ".join(claim[key].split()) in text, claim["id"]


def test_papers_are_linked_where_they_are_read_and_the_theorem_is_stated(tree, facts):
    links = {link.get("href") for link in tree.iter("a")}
    papers = [source["id"] for source in facts["sources"] if source["id"].startswith("arXiv:")]
    assert len(papers) == 2
    assert {f"https://arxiv.org/abs/{paper.removeprefix('arXiv:')}" for paper in papers} <= links
    assert "FlashAttention of the order of N² d² / M" in text_of(tree)
    assert "not timed on a graphics chip" in text_of(tree)


def test_sources_and_what_is_left_out_are_those_of_the_facts(tree, facts):
    text = text_of(tree)
    for source in facts["sources"]:
        assert source["title"] in text
        assert source["does_not_prove"] in text
    for sentence in facts["left_out"]:
        assert sentence in text


def test_a_number_typed_into_the_page_is_refused(facts, film, monkeypatch):
    source = templates.source

    def typed(name):
        return source(name).replace("The lab: the cannery", "The lab: 17 canneries")

    monkeypatch.setattr(templates, "source", typed)
    with pytest.raises(ClaimError, match=r"page\.html\.j2:\d+: found the number '17' typed"):
        page.page(facts, film)


def test_other_facts_give_another_page(facts):
    changed = otherwise(facts, *TURNED)
    other = page.page(changed, film_document.film(changed, scenes.Sizes(4096, 64, 16)))
    text = text_of(html5lib.parse(other, namespaceHTMLElements=False))
    assert "the checker saw it: three" in text
    assert "head by head: 8, 0, 6, 8" in text


def test_hostile_text_in_a_fact_is_shown_and_not_run(facts, film):
    changed = json.loads(json.dumps(facts))
    changed["left_out"].append("<img src=x onerror=alert()>")
    html = page.page(changed, film)
    assert "<img src=x" not in html
    assert "&lt;img src=x onerror=alert()&gt;" in html


def test_no_published_number_is_typed_in_the_scripts(facts):
    """Of what the film draws three digits in the film, of all claims four elsewhere."""
    allowed = {
        "1,000": "milliseconds of a second",
        "1,024": "bytes of a KiB",
        "16,384": "the longest sequence that the lab takes; see choice.js",
    }
    film = [SOURCES / "film.css", *(SOURCES / "js" / "film").rglob("*.js")]
    told = [p for p in SOURCES.rglob("*.js") if p.parent.name not in ("emulator", "device")]
    assert len(film) > 20
    drawn = {claim["id"] for claim in canonical_json.read(PUBLISHED / "drawn.json")["claims"]}
    for path in {*film, *told}:
        typed = re.findall(r"(?<![\d.])\d[\d,]*(?:\.\d+)?(?!\d)", path.read_text(encoding="utf-8"))
        digits = {number.replace(",", "") for number in typed}
        for claim in facts["claims"]:
            few = path in film and claim["id"] in drawn
            long = len(re.sub(r"\D", "", claim["display"])) >= (3 if few else 4)
            if long and claim["display"] not in allowed:
                assert claim["display"].replace(",", "") not in digits, (path.name, claim["id"])


def test_scripts_write_no_markup_and_no_style_attributes():
    for path in SOURCES.rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", '"style"'):
            assert forbidden not in text, (path.name, forbidden)
