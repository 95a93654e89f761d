"""The page in a browser: quiet until somebody presses play, and usable on any screen."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from fusedfacts.lesson.page import film_scripts
from support import device_page
from support.common import PUBLISHED
from support.site_server import PAGE

FIRST_VIEW_BYTES = 80_000
# A slow phone's 1.6 Mbit/s bring 200,000 bytes a second, and a picture may take two seconds: the
# rest of them is for round trips and for running the scripts.
SLOW_PHONE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 94_000,
}
SLOWER_CPU = 4
FIRST_PICTURE_BYTES = 160_000
# Film, pictures, a count and times: everything but facts.json, which is a link.
WHOLE_PAGE_BYTES = 600_000


def weight(names):
    """Bytes of the site's files."""
    paths = [(PAGE / name, PUBLISHED / name) for name in set(names)]
    return sum((own if own.exists() else copy).stat().st_size for own, copy in paths)


@pytest.fixture
def visit(chromium, site):
    """A visit to the page; what it asks for is written down."""
    with device_page.opened(chromium) as page:
        page.asked, page.address = [], site + "index.html"
        page.on("request", lambda request: page.asked.append(request.url.removeprefix(site)))
        yield page


def show_all(page):
    page.goto(page.address)
    page.get_by_role("button", name="Show the pictures").click()
    page.get_by_role("button", name="Play the film").click()
    page.locator("#film-stage .film-range").wait_for()


def test_nothing_but_the_page_itself_loads_before_play_and_nothing_moves(visit):
    visit.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => {"
        "for (const shift of list.getEntries()) window.moved += shift.value;"
        "}).observe({type: 'layout-shift', buffered: true})"
    )
    visit.goto(visit.address)
    visit.wait_for_load_state("networkidle")
    found = set(visit.asked) - {"icon.svg"}
    assert found == {"index.html", "page.css", "js/main.js", "js/lab/choice.js"}
    assert weight(found) <= FIRST_VIEW_BYTES
    visit.get_by_role("button", name="Show the pictures").scroll_into_view_if_needed()
    assert visit.evaluate("window.moved") == 0


PRESSED = """() => {
  document.querySelector("#play").click();
  return document.querySelector("#film-loads").textContent;
}"""


@pytest.mark.slow
def test_a_slow_phone_has_a_picture_after_few_bytes_and_is_told_that_it_loads(visit):
    visit.goto(visit.address)
    visit.wait_for_load_state("networkidle")
    received, before = [], len(visit.asked)
    phone = visit.context.new_cdp_session(visit)
    phone.send("Network.enable")
    # The later scenes come while the first are seen: how many of their bytes is chance.
    held = []
    visit.route("**/scenes/others.js", lambda route: held.append(route))
    phone.on("Network.loadingFinished", lambda done: received.append(done["encodedDataLength"]))
    phone.send("Network.emulateNetworkConditions", SLOW_PHONE)
    phone.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER_CPU})
    assert visit.evaluate(PRESSED) == "The film is loading."
    visit.locator(".film-stage .scene-1").wait_for()
    assert 0 < sum(received) <= FIRST_PICTURE_BYTES
    others = [name for name in visit.asked[before:] if name.endswith("others.js")]
    assert len(received) == len(visit.asked) - before - len(others)
    assert "facts.json" not in visit.asked
    # All that the film runs by was asked for at once, and nothing that it does not.
    scripts = {name for name in visit.asked[before:] if name.endswith(".js")}
    assert scripts - set(others) == set(film_scripts())
    seek = "range => { range.value = 50000; range.dispatchEvent(new Event('input')); }"
    visit.locator(".film-range").evaluate(seek)
    assert visit.locator(".film-stage").get_attribute("aria-label") == "This scene is loading."
    held[0].continue_()
    visit.locator(".film-stage .scene-3").wait_for()


def test_nothing_outside_the_folder_is_ever_asked_for(visit):
    show_all(visit)
    visit.fill("#lab-n", "64")
    visit.check("input[name=broken]")  # one kernel to compile; what is loaded is the same
    for name in ("Count", "Time on my chip"):
        before = visit.locator(".result").count()
        visit.get_by_role("button", name=name).click()
        visit.locator(".result").nth(before).wait_for()
    asked = [name for name in visit.asked if not name.startswith(("blob:", "data:"))]
    assert not [name for name in asked if ":" in name]
    assert {"drawn.json", "film.json", "kernels/fused.wgsl"} <= set(asked)
    assert "facts.json" not in asked
    assert weight(asked) <= WHOLE_PAGE_BYTES


def test_the_focus_is_in_the_film_once_it_plays(visit):
    visit.goto(visit.address)
    visit.get_by_role("button", name="Play the film").press("Enter")
    pause = visit.get_by_role("button", name="Pause", exact=True)
    pause.wait_for()
    assert pause.evaluate("node => node === document.activeElement")
    visit.keyboard.press("Space")
    visit.locator('#film-stage[data-state="paused"]').wait_for()


def test_axe_finds_no_fault_and_no_width_scrolls_sideways(visit):
    for width, scheme in [(320, "light"), (360, "light"), (768, "dark"), (1280, "dark")]:
        visit.set_viewport_size({"width": width, "height": 800})
        visit.emulate_media(color_scheme=scheme)
        visit.goto(visit.address)
        assert visit.evaluate("document.documentElement.scrollWidth") <= width
        if width in (360, 1280):
            found = Axe().run(visit)
            assert found.violations_count == 0, found.generate_report()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_where_the_film_waits_and_something_is_typed(visit, film, scheme):
    visit.emulate_media(color_scheme=scheme)
    visit.goto(visit.address)
    for pause in film["pauses"]:
        at = {"time": pause["at_ms"] - 1, "answered": ["times", "rows", "score"]}
        visit.evaluate("at => localStorage.setItem('fused-film-position', at)", json.dumps(at))
        visit.goto(visit.address)
        visit.get_by_role("button", name="Play the film").click()
        form = visit.locator(f".film-asks-{pause['asks']}")
        form.wait_for()
        if form.get_by_role("textbox").count():
            form.get_by_role("textbox").fill("many")
            form.get_by_role("button", name="Answer").click()
        found = Axe().run(visit, "#film-stage")
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("size", [(1366, 650), (740, 360), (360, 740)])
def test_picture_captions_question_and_controls_are_seen_together(visit, film, size):
    visit.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    visit.goto(visit.address)
    visit.get_by_role("button", name="Play the film").click()
    stage = visit.locator("#film-stage.film")
    stage.wait_for()

    def require_seen(*parts):
        for part in parts:
            place = stage.locator(part).bounding_box()
            assert round(place["y"]) >= 0, part
            assert round(place["y"] + place["height"]) <= size[1], part

    require_seen(".film-stage", ".film-captions", ".film-controls")
    assert stage.locator(".film-stage").bounding_box()["height"] > size[1] / 2
    for pause in film["pauses"]:
        seek = "(range, at) => { range.value = at; range.dispatchEvent(new Event('input')); }"
        stage.locator(".film-range").evaluate(seek, pause["at_ms"] - 200)
        if stage.get_attribute("data-state") == "paused":
            stage.locator(".film-play").click()
        form = f".film-asks-{pause['asks']}"
        stage.locator(form).wait_for()
        require_seen(".film-stage", form, ".film-controls")


def test_axe_finds_no_fault_in_the_film_and_the_lab_s_results(visit):
    show_all(visit)
    visit.fill("#lab-n", "64")
    visit.check("input[name=broken]")
    visit.get_by_role("button", name="Count").click()
    visit.locator(".result").wait_for()
    found = Axe().run(visit)
    assert found.violations_count == 0, found.generate_report()


def test_every_control_of_the_film_can_be_reached_on_a_small_screen(visit):
    show_all(visit)
    for width in (320, 360, 768):
        visit.set_viewport_size({"width": width, "height": 700})
        places = visit.evaluate(
            "[...document.querySelectorAll('#film-stage :is(button, select, input)')]"
            ".map((e) => e.getBoundingClientRect()).filter((r) => r.width)"
            ".map((r) => [r.left, r.right])"
        )
        assert len(places) >= 5
        assert min(left for left, _ in places) >= 0
        assert max(right for _, right in places) <= width
        assert visit.evaluate("document.documentElement.scrollWidth") <= width


FOREIGN = {
    "film.json is damaged: it is no JSON": "{",
    "film.json has schema version 99, but this page reads version": '{"schema_version": 99}',
    "film.json has schema version undefined": "[]",
    "film.json is missing beside this page (status 404)": None,
}


@pytest.mark.parametrize(("sentence", "body"), FOREIGN.items())
def test_a_missing_or_foreign_file_is_a_sentence_and_the_rest_works(chromium, site, sentence, body):
    answer = {"status": 404} if body is None else {"body": body}
    with chromium.new_page() as page:
        page.goto(site + "index.html")
        page.route("**/film.json", lambda route: route.fulfill(**answer))
        page.get_by_role("button", name="Play the film").click()
        page.get_by_role("alert").filter(has_text=sentence).wait_for()
        page.unroute("**/film.json")
        page.get_by_role("button", name="Show the pictures").click()
        page.get_by_role("button", name="Play the film").click()
        page.locator("#film-stage.playing").wait_for()
