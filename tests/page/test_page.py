"""index.html as it is published: valid, bound, and quiet until somebody presses play."""

import itertools
import json
import re
from urllib.parse import urlsplit

import html5lib
import pytest
from axe_playwright_python.sync_playwright import Axe
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError
from fusedfacts.lesson import film as film_document
from fusedfacts.lesson import page, scenes
from fusedfacts.prose import forms, templates
from support.common import PUBLISHED, ROOT
from support.made_up import TURNED, otherwise

SOURCES = ROOT / "workflow" / "page"
FIRST_VIEW_BYTES = 150_000
WHOLE_PAGE_BYTES = 1_000_000


@pytest.fixture(scope="module")
def film():
    return canonical_json.read(PUBLISHED / "film.json")


@pytest.fixture(scope="module")
def document(facts, film):
    return page.page(facts, film)


@pytest.fixture(scope="module")
def tree(document):
    """The page, parsed as strictly as the parser can."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(document)


def text_of(element):
    return " ".join("".join(element.itertext()).split())


# --- the document ----------------------------------------------------------------------------


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
            assert not urlsplit(target).scheme, target
            if not target.startswith("#"):
                assert (PUBLISHED / target).is_file(), target


def test_headings_go_down_one_level_at_a_time(tree):
    levels = [int(e.tag[1]) for e in tree.iter() if re.fullmatch("h[1-6]", str(e.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


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


def test_every_number_of_the_words_is_a_link_to_its_claim(tree, facts, film):
    claims = forms.by_id(facts)
    shown = {}
    for link in tree.iter("a"):
        if link.get("class") == "n":
            shown.setdefault(link.get("href").removeprefix("#claim-"), set()).add(text_of(link))
    for identifier, texts in shown.items():
        allowed = {
            forms.quote(claims, identifier, form)
            for form in ("", "word", "Word", "places=1")
            if _fits(claims, identifier, form)
        }
        assert texts <= allowed, identifier
    said = {q["claim"] for scene in film["scenes"] for cue in scene["cues"] for q in cue["quotes"]}
    assert said <= set(shown)


def _fits(claims, identifier, form):
    try:
        forms.quote(claims, identifier, form)
    except ClaimError:
        return False
    return True


def test_each_claim_shows_value_how_it_was_computed_and_what_it_does_not_prove(tree, facts):
    claims = forms.by_id(facts)
    listed = [e for e in tree.iter("div") if (e.get("id") or "").startswith("claim-")]
    assert len(listed) > 30
    for element in listed:
        claim, text = claims[element.get("id").removeprefix("claim-")], text_of(element)
        for key in ("display", "statement", "computed_by", "checked_by", "does_not_prove"):
            assert " ".join(claim[key].split()) in text, claim["id"]


def test_sources_and_what_is_left_out_are_those_of_the_facts(tree, facts):
    text = text_of(tree)
    for source in facts["sources"]:
        assert source["title"] in text
        assert source["does_not_prove"] in text
    for sentence in facts["left_out"]:
        assert sentence in text


def test_where_the_lesson_stands(tree):
    assert "After matmul tiling (K22), before mixed precision (K24)" in text_of(tree)


def test_a_number_typed_into_the_page_is_refused(facts, film):
    text = templates.source(page.TEMPLATE)
    with pytest.raises(ClaimError, match=r"page\.html\.j2:\d+: found the number '17' typed"):
        page.page(facts, film, text.replace("The lab: the cannery", "The lab: 17 canneries"))


def test_other_facts_give_another_page(facts, film):
    changed = otherwise(facts, *TURNED)
    with pytest.raises(ClaimError, match=r"found no claim operations\.extra\.exps"):
        page.page(changed, film)
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
    """Displays of four digits and more; emulator and runner repeat the contract's tile sizes."""
    allowed = {
        "1,000": "milliseconds of a second",
        "1,024": "bytes of a KiB",
        "16,384": "the longest sequence that the lab takes; see choice.js",
    }
    displays = {
        claim["display"].replace(",", "")
        for claim in facts["claims"]
        if len(re.findall(r"\d", claim["display"])) >= 4
    } - {number.replace(",", "") for number in allowed}
    told = [p for p in SOURCES.rglob("*.js") if p.parent.name not in ("emulator", "device")]
    for path in told:
        for number in re.findall(r"[\d,]*\d(?:\.\d+)?", path.read_text(encoding="utf-8")):
            assert number.replace(",", "") not in displays, (path.name, number)


# --- in a browser -----------------------------------------------------------------------------


@pytest.fixture
def visit(chromium, site):
    """A visit to the page; what it asks for, and every complaint, is written down."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    opened.asked, opened.complaints = [], []
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            opened.complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    opened.site = site
    yield opened
    context.close()
    assert opened.complaints == []


def names(visit):
    return [url.removeprefix(visit.site) for url in visit.asked]


def test_nothing_but_the_page_itself_loads_before_play(visit):
    visit.goto(visit.site + "index.html")
    visit.wait_for_load_state("networkidle")
    found = set(names(visit)) - {"icon.svg"}
    assert found == {"index.html", "page.css", "js/main.js", "js/lab/choice.js"}
    size = sum((PUBLISHED / name).stat().st_size for name in found)
    assert size <= FIRST_VIEW_BYTES


def test_nothing_outside_the_folder_is_ever_asked_for(visit):
    visit.goto(visit.site + "index.html")
    visit.get_by_role("button", name="Show the pictures").click()
    visit.get_by_role("button", name="Play the film").click()
    visit.wait_for_load_state("networkidle")
    assert all(url.startswith((visit.site, "blob:", "data:")) for url in visit.asked)
    assert {"facts.json", "film.json"} <= set(names(visit))
    size = sum((PUBLISHED / name).stat().st_size for name in set(names(visit)))
    assert size <= WHOLE_PAGE_BYTES


def test_nothing_moves_while_the_page_loads(visit):
    visit.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => {"
        "for (const shift of list.getEntries()) window.moved += shift.value;"
        "}).observe({type: 'layout-shift', buffered: true})"
    )
    visit.goto(visit.site + "index.html")
    visit.wait_for_load_state("networkidle")
    visit.get_by_role("button", name="Show the pictures").scroll_into_view_if_needed()
    assert visit.evaluate("window.moved") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_no_fault(chromium, site, scheme, width):
    opened = chromium.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    opened.goto(site + "index.html")
    found = Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()
    opened.close()


def test_axe_finds_no_fault_in_the_film_and_the_lab_s_results(chromium, site):
    opened = chromium.new_page(viewport={"width": 1280, "height": 800})
    opened.goto(site + "index.html")
    opened.fill("#lab-n", "64")
    opened.check("input[name=broken]")
    opened.get_by_role("button", name="Count").click()
    opened.locator(".result").wait_for()
    opened.get_by_role("button", name="Play the film").click()
    opened.locator("#film-stage input[type=range]").wait_for()
    opened.get_by_role("button", name="Show the pictures").click()
    found = Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()
    opened.close()


@pytest.mark.parametrize("width", [320, 360, 768, 1920])
def test_the_page_never_scrolls_sideways(chromium, site, width):
    opened = chromium.new_page(viewport={"width": width, "height": 800})
    opened.goto(site + "index.html")
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()


@pytest.mark.parametrize("width", [320, 360, 768])
def test_every_control_of_the_film_can_be_reached_on_a_small_screen(chromium, site, width):
    opened = chromium.new_page(viewport={"width": width, "height": 700})
    opened.goto(site + "index.html")
    opened.get_by_role("button", name="Play the film").click()
    opened.locator("#film-stage input[type=range]").wait_for()
    places = opened.evaluate(
        "[...document.querySelectorAll('#film-stage :is(button, select, input)')]"
        ".map((e) => e.getBoundingClientRect()).filter((r) => r.width)"
        ".map((r) => [r.left, r.right])"
    )
    assert len(places) >= 5
    assert min(left for left, _ in places) >= 0
    assert max(right for _, right in places) <= width
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (None, "film.json is missing beside this page (status 404)"),
        ("{", "film.json is damaged: it is no JSON"),
        ('{"schema_version": 99}', "film.json has schema version 99, but this page reads version"),
        ("[]", "film.json has schema version undefined"),
    ],
)
def test_a_missing_or_foreign_file_is_a_sentence_and_the_rest_works(
    chromium, site, change, sentence
):
    opened = chromium.new_page()
    if change is None:
        opened.route("**/film.json", lambda route: route.fulfill(status=404, body=""))
    else:
        opened.route("**/film.json", lambda route: route.fulfill(status=200, body=change))
    opened.goto(site + "index.html")
    opened.get_by_role("button", name="Play the film").click()
    opened.get_by_role("alert").filter(has_text=sentence).wait_for()
    opened.get_by_role("button", name="Show the pictures").click()
    opened.unroute("**/film.json")
    opened.get_by_role("button", name="Play the film").click()
    opened.locator("#film-stage.playing").wait_for()
    opened.close()
