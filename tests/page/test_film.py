"""The film in the page: its captions, question and keys, and that it draws the facts."""

from __future__ import annotations

import json
import re

import pytest
from support import film_page, site_server
from support.common import PUBLISHED, ROOT

SOURCES = sorted((ROOT / "workflow" / "page" / "js" / "film").rglob("*.js"))
HASTY = "{hasten: 80}"
STATE = "() => film.state"


@pytest.fixture(scope="module")
def film():
    return json.loads((PUBLISHED / "film.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = site_server.assemble(tmp_path_factory.mktemp("film"))
    film_page.lay(folder)
    with site_server.served(folder) as found:
        yield found


@pytest.fixture
def page(chromium, address):
    with film_page.opened(chromium, address) as found:
        yield found


def wait_for(page, state):
    page.wait_for_function("state => film.state === state", arg=state, timeout=30_000)


def caption(page):
    return page.locator(".film-captions .film-line").all_inner_texts()


def test_captions_are_those_of_the_published_file(page):
    published = film_page.cues((PUBLISHED / "captions.vtt").read_text(encoding="utf-8"))
    assert len(published) > 50
    for name, start, end, lines in published:
        film_page.seek(page, (start + end) / 2)
        assert caption(page) == lines, name
        assert page.locator(".film-captions").get_attribute("data-cue") == name


def test_numbers_in_captions_name_their_claims(page, film):
    for scene in film["scenes"]:
        for cue in scene["cues"]:
            film_page.seek(page, cue["start_ms"] + 1)
            shown = page.eval_on_selector_all(
                ".film-captions data", "all => all.map(n => [n.value, n.textContent])"
            )
            assert shown == [[quote["claim"], quote["text"]] for quote in cue["quotes"]], cue["id"]


def test_plays_to_the_question_answers_it_and_plays_to_the_end(chromium, address, film, facts):
    truth = next(c for c in facts["claims"] if c["id"] == film["pause"]["answer"]["claim"])
    with film_page.opened(chromium, address, start=HASTY) as page:
        page.get_by_role("button", name="Play", exact=True).click()
        wait_for(page, "waiting")
        assert page.evaluate("film.time") == film["pause"]["at_ms"]
        # The question stands there, not the answer that comes next.
        asked = [c for s in film["scenes"] for c in s["cues"] if c["id"] == film["pause"]["cue"]]
        assert caption(page) == asked[0]["lines"]
        seen = " ".join(text["text"] for text in page.evaluate(film_page.SEEN))
        assert f"{truth['value']:.1f}" not in seen
        guess = page.get_by_label("How many times as much")
        assert guess.evaluate("node => node === document.activeElement")
        for typed in ("", "  ", "many", "-3", "0", "1e99", "99999999999999999999", "NaN"):
            guess.fill(typed)
            guess.press("Enter")
            assert page.get_by_role("alert").inner_text(), typed
            assert page.evaluate(STATE) == "waiting"
        guess.fill("about 8 times")
        guess.press("Enter")
        result = page.locator(".film-result")
        result.wait_for()
        assert (
            result.inner_text() == f"Your guess: 8. The answer: about {truth['value']:.1f} times."
        )
        assert result.locator("data").get_attribute("value") == truth["id"]
        wait_for(page, "ended")
        assert page.evaluate("film.time") == film["duration_ms"]
        assert not result.is_visible()
        page.get_by_role("button", name="Play again").click()
        assert page.evaluate(STATE) == "playing"


def test_the_question_can_be_passed_and_comes_again(chromium, address, film):
    at = film["pause"]["at_ms"]
    with film_page.opened(chromium, address, start=HASTY) as page:
        film_page.seek(page, at + 500)
        page.evaluate("film.play()")
        wait_for(page, "ended")
        film_page.seek(page, at - 3000)
        page.evaluate("film.play()")
        wait_for(page, "waiting")
        # No trap: tab leaves the form, a seek leaves the question, and it may be skipped.
        for _ in range(5):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('form')") is None
        film_page.seek(page, at + 100)
        assert page.evaluate(STATE) == "paused"
        assert not page.locator(".film-question").is_visible()
        film_page.seek(page, at - 100)
        page.evaluate("film.play()")
        wait_for(page, "waiting")
        page.get_by_role("button", name="Just show me").click()
        assert page.locator(".film-result").inner_text().startswith("The answer: about")
        wait_for(page, "ended")


@pytest.mark.parametrize(
    ("typed", "guess"),
    [("16", 16), ("16.5", 16.5), ("16,5", 16.5), ("1,000", 1000), ("~ 4x", 4), (".5", 0.5)],
)
def test_guesses_are_read_as_people_type_them(page, typed, guess):
    assert page.evaluate("t => parts.question.read(t, 4096)", typed) == {"guess": guess}


def test_the_guess_is_drawn_beside_the_answer(page, film):
    at = film["pause"]["at_ms"]
    film_page.seek(page, at - 40)
    page.evaluate("film.play()")
    wait_for(page, "waiting")
    page.get_by_label("How many times as much").fill("7")
    page.get_by_role("button", name="Answer").click()
    page.wait_for_function("time => film.time > time", arg=at + 2000)
    shown = [seen["text"] for seen in page.evaluate(film_page.SEEN)]
    assert "your guess: 7" in shown
    assert f"about {film['pause']['answer']['text']} times" in shown


def test_keys(page, film):
    page.locator(".film-range").focus()
    starts = [scene["start_ms"] for scene in film["scenes"]]
    for key, time in [
        ("3", starts[2]),
        ("0", starts[9]),
        ("Home", 0),
        ("End", film["duration_ms"]),
    ]:
        page.keyboard.press(key)
        assert page.evaluate("film.time") == time, key
    assert page.evaluate(STATE) == "ended"
    page.keyboard.press("2")
    for key, step in [("ArrowRight", 5), ("l", 10), ("ArrowLeft", -5), ("j", -10)]:
        before = page.evaluate("film.time")
        page.keyboard.press(key)
        assert page.evaluate("film.time") == before + step * 1000, key
    for key in ("k", " "):
        page.keyboard.press(key)
        assert page.evaluate(STATE) == "playing"
        page.keyboard.press(key)
        assert page.evaluate(STATE) == "paused"
    page.keyboard.press("c")
    assert not page.locator(".film-captions").is_visible()
    button = page.get_by_role("button", name="Captions")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert page.locator(".film-captions").is_visible()
    page.keyboard.press(">")
    assert page.evaluate("film.speed") == 1.25
    assert page.get_by_label("Speed").input_value() == "1.25"
    page.get_by_label("Speed").select_option("2")
    assert page.evaluate("film.speed") == 2
    page.locator(".film-play").focus()
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement?.id === 'film'")
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")


def test_a_click_on_the_picture_plays_and_the_keys_go_on_from_there(page):
    page.locator(".film-stage").click()
    assert page.evaluate(STATE) == "playing"
    page.keyboard.press("k")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(STATE) == "paused"
    assert page.evaluate("film.time") >= 5000


def test_keys_are_the_films_only_while_the_focus_is_in_it(page):
    page.locator("#after").focus()
    for key in ("3", "k", "End"):
        page.keyboard.press(key)
    assert page.evaluate("[film.time, film.state]") == [0, "paused"]


def test_speed_and_slider(chromium, address, film):
    with film_page.opened(chromium, address) as page:
        seen = page.evaluate(
            """async () => {
              const ran = async (speed) => {
                film.speed = speed; film.seek(40000); film.play();
                const [time, from] = [performance.now(), film.time];
                await new Promise((done) => setTimeout(done, 900));
                const run = (film.time - from) / (performance.now() - time);
                film.pause();
                return run;
              };
              return [await ran(2), await ran(0.75)];
            }"""
        )
        assert seen == pytest.approx([2, 0.75], rel=0.15)
        slider = page.get_by_role("slider", name="Position in the film")
        slider.fill("100000")
        assert page.evaluate("film.time") == 100_000
        assert slider.get_attribute("aria-valuetext") == "1:40, Shares without the whole row"
        assert page.locator(".film-mark").count() == len(film["scenes"]) - 1


def test_resumes_after_reload_and_starts_anew_after_the_end(page, film):
    film_page.seek(page, 64_000)
    page.reload()
    page.wait_for_function(film_page.READY)
    page.evaluate("start()")
    assert page.evaluate("[film.time, film.state]") == [64_000, "paused"]
    assert page.locator(".film-time").inner_text() == "1:04 / 5:07"
    # Left at the question, it is asked again.
    film_page.seek(page, film["pause"]["at_ms"] - 20)
    page.evaluate("film.play()")
    wait_for(page, "waiting")
    page.reload()
    page.wait_for_function(film_page.READY)
    page.evaluate("start()")
    page.evaluate("film.play()")
    wait_for(page, "waiting")
    film_page.seek(page, film["duration_ms"])
    page.reload()
    page.wait_for_function(film_page.READY)
    page.evaluate("start()")
    assert page.evaluate("film.time") == 0


def test_works_where_storage_is_refused(chromium, address):
    refuse = """Object.defineProperty(window, "localStorage", {
      get() { throw new DOMException("refused", "SecurityError"); } });"""
    with film_page.opened(chromium, address, init=refuse, start=HASTY) as page:
        film_page.seek(page, 170_000)
        page.evaluate("film.play()")
        wait_for(page, "waiting")


COUNT_FRAMES = """
  window.frames_asked = 0;
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (run) => { window.frames_asked += 1; return ask(run); };
"""


def test_no_frame_is_asked_for_while_it_stands(chromium, address):
    with film_page.opened(chromium, address, init=COUNT_FRAMES) as page:
        page.evaluate("film.play()")
        page.wait_for_function("() => frames_asked > 5", polling=100)
        page.evaluate("film.pause()")
        asked = page.evaluate("frames_asked")
        page.wait_for_timeout(400)
        assert page.evaluate("frames_asked") == asked


def test_reduced_motion_gives_stills(chromium, address, film):
    look = {"reduced_motion": "reduce"}
    drawing = "() => document.querySelector('.film-stage').innerHTML"
    with film_page.opened(
        chromium, address, init=COUNT_FRAMES, start="{hasten: 8}", **look
    ) as page:
        for scene in film["scenes"]:
            for cue in scene["cues"][:2]:
                film_page.seek(page, cue["start_ms"] + 100)
                still = page.evaluate(drawing)
                film_page.seek(page, cue["end_ms"] - 100)
                assert page.evaluate(drawing) == still, cue["id"]
        film_page.seek(page, 8000)
        page.evaluate("() => { window.frames_asked = 0; film.play(); }")
        page.wait_for_function("() => film.time > 24000", polling=100)
        assert page.evaluate("frames_asked") == 0
        assert page.locator(".film-captions").get_attribute("data-cue") in ("2.6", "2.7")


def crosses(page):
    found = page.eval_on_selector_all("[data-wrong]", "all => all.map(n => n.dataset.wrong)")
    return sorted(tuple(map(int, name.split("."))) for name in found)


def test_the_wrong_answers_drawn_are_those_of_the_facts(chromium, address, film, facts):
    end = film["scenes"][6]["cues"][-1]["end_ms"] - 100
    wrong = [
        (head, row)
        for head, told in enumerate(facts["control"]["heads"])
        for row, is_wrong in enumerate(told["row_is_wrong"])
        if is_wrong
    ]
    with film_page.opened(chromium, address) as page:
        film_page.seek(page, end)
        assert crosses(page) == wrong
        # Each stands on a crate that says its largest score came later, and no other crate does.
        late = sum(sum(told["row_has_late_maximum"]) for told in facts["control"]["heads"])
        assert page.locator("g .crate.late").count() == late + 1  # and one in the key
    change = "sources.facts.control.heads[2].row_is_wrong[3] = true"
    with film_page.opened(chromium, address, before=change) as page:
        film_page.seek(page, end)
        assert crosses(page) == sorted([*wrong, (2, 3)])


def shown_by(page, claim):
    return page.eval_on_selector_all(
        f'.film-stage [data-claim="{claim}"]', "all => all.map(n => n.textContent)"
    )


def test_other_facts_give_other_bars(chromium, address, film):
    claim = "traffic.fused.mib.n4096.d64"
    change = f"""const claim = sources.facts.claims.find((c) => c.id === "{claim}");
      claim.value *= 1.5; claim.display = "387";"""
    widths = []
    for before, said in [("", "258"), (change, "387")]:
        with film_page.opened(chromium, address, before=before) as page:
            film_page.seek(page, film["scenes"][4]["cues"][-1]["end_ms"] - 60)
            assert shown_by(page, claim) == [said]
            bars = page.eval_on_selector_all(
                "rect.fused", "all => all.map(n => Number(n.getAttribute('width')))"
            )
            widths.append(max(bars))
    assert widths[1] / widths[0] == pytest.approx(1.5, rel=0.01)


def test_other_facts_give_another_histogram_and_tide(chromium, address, film):
    end = film["scenes"][7]["cues"][8]["end_ms"] - 60
    heights = """() => [...document.querySelectorAll("rect.column")]
      .map((n) => Number(n.getAttribute("height")))"""
    drawn = []
    for before in ("", "sources.facts.overflow.histogram.counts[20] = 1"):
        with film_page.opened(chromium, address, before=before) as page:
            film_page.seek(page, end)
            drawn.append(page.evaluate(heights))
    changed = [k for k, (a, b) in enumerate(zip(*drawn, strict=True)) if a != b]
    assert changed == [20]
    curves = []
    for before in ("", "sources.facts.overflow.probe_last_row.largest_score = 5"):
        with film_page.opened(chromium, address, before=before) as page:
            film_page.seek(page, film["scenes"][7]["cues"][4]["end_ms"] - 60)
            curves.append(page.locator("path.guide").first.get_attribute("d"))
    assert curves[0] != curves[1]


def test_a_claim_that_is_missing_is_named(chromium, address):
    drop = 'sources.facts.claims = sources.facts.claims.filter((c) => c.id !== "model.heads")'
    with film_page.opened(chromium, address, before=drop) as page:
        said = page.evaluate(
            """() => {
              const room = { width: 1600, height: 900, portrait: false };
              const of = parts.context.contexts(sources, room, { guess: null });
              try { of(0).claim("model.heads"); } catch (error) { return error.message; }
            }"""
        )
    assert said == "facts.json: found no claim model.heads, which the film draws"


@pytest.mark.parametrize("width", [1280, 360])
def test_every_number_on_the_stage_is_a_claim_or_has_a_reason(
    chromium, address, film, facts, width
):
    said = {claim["id"]: claim for claim in facts["claims"]}
    quoted, reasons = set(), set()
    look = {"viewport": {"width": width, "height": 800}}
    with film_page.opened(chromium, address, **look) as page:
        for time in film_page.times(film):
            film_page.seek(page, time)
            for text in page.evaluate(film_page.SEEN):
                assert not re.search(r"\d", "".join(text["plain"])), (time, text["text"])
                for part in text["marked"]:
                    if "claim" in part:
                        claim = said[part["claim"]]
                        displays = {claim["display"]}
                        if part["claim"] == film["pause"]["answer"]["claim"]:
                            displays = {film["pause"]["answer"]["text"]}
                        assert part["text"] in displays, (time, part)
                        quoted.add(part["claim"])
                    else:
                        reasons.add(part["why"])
    assert reasons <= set(film_page.REASONS)
    everything = {q["claim"] for s in film["scenes"] for c in s["cues"] for q in c["quotes"]}
    words = {"kernels.fused", "kernels.unfused", "model.heads"}
    assert everything - words <= quoted


@pytest.mark.parametrize(("width", "least"), [(1920, 17), (1280, 14), (640, 12), (360, 12)])
def test_texts_lie_inside_the_picture_apart_and_large_enough(chromium, address, film, width, least):
    look = {"viewport": {"width": width, "height": 800}}
    with film_page.opened(chromium, address, **look) as page:
        for time in film_page.times(film):
            film_page.seek(page, time)
            texts = [text for text in page.evaluate(film_page.SEEN) if text["opacity"] > 0.5]
            for text in texts:
                left, top, right, bottom = text["box"]
                room = text["room"]
                inside = left >= 0 and top >= 0 and right <= room[0] and bottom <= room[1]
                assert inside, (time, text["text"], text["box"])
                assert text["size"] >= least, (time, text["text"])
            straight = [text for text in texts if not text["turned"]]
            for index, one in enumerate(straight):
                for other in straight[index + 1 :]:
                    assert not overlap(one, other), (time, one["text"], other["text"])


def overlap(one, other):
    """Whether letters meet: a line's box has a fifth of air above and below them."""
    (a, b, c, d), (e, f, g, h) = one["box"], other["box"]
    across = min(c, g) - max(a, e)
    down = min(d - (d - b) / 5, h - (h - f) / 5) - max(b + (d - b) / 5, f + (h - f) / 5)
    return across > 1 and down > 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_night(chromium, address, scheme):
    with film_page.opened(chromium, address, color_scheme=scheme) as page:
        colours = page.evaluate(
            """() => Object.fromEntries(
              ["ink", "soft", "lamp", "fused", "wrong", "sea-text", "value", "night", "sky", "glow",
               "sea", "tray"].map((name) => [name,
              getComputedStyle(document.querySelector("#film")).getPropertyValue(`--${name}`).trim()]))"""
        )
    for text in ("ink", "soft", "lamp", "fused", "wrong", "sea-text"):
        for behind in ("night", "sky", "sea"):
            assert contrast(colours[text], colours[behind]) >= 4.5, (text, behind)


def contrast(one, other):
    """The ratio of WCAG."""

    def light(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_no_published_number_is_typed_in_the_sources(facts):
    displays = {
        claim["display"]
        for claim in facts["claims"]
        if len(re.sub(r"\D", "", claim["display"])) >= 3
    }
    css = ROOT / "workflow" / "page" / "film.css"
    assert len(SOURCES) >= 20
    for path in [*SOURCES, css]:
        typed = set(film_page.numbers(path.read_text(encoding="utf-8"))) & displays
        assert not typed, (path.name, typed)


def test_sources_write_no_markup_and_no_style_attributes():
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", '"style"'):
            assert forbidden not in text, (path.name, forbidden)


def test_the_stage_says_what_it_shows(page, film):
    labels = set()
    for scene in film["scenes"]:
        film_page.seek(page, scene["start_ms"] + 1000)
        stage = page.locator(".film-stage")
        assert stage.get_attribute("role") == "img"
        title = "".join(run["text"] for run in scene["title"]["runs"])
        label = stage.get_attribute("aria-label")
        assert label.startswith(f"{title}. ")
        labels.add(label)
    assert len(labels) == len(film["scenes"])


def test_the_example_row_ends_where_two_passes_do(page):
    last, whole = page.evaluate(
        """() => { const { EXAMPLE, online } = parts.online;
          const most = Math.max(...EXAMPLE);
          return [online(EXAMPLE).at(-1), EXAMPLE.reduce((a, s) => a + Math.exp(s - most), 0)]; }"""
    )
    assert last["total"] == pytest.approx(whole, rel=1e-12)


def test_motion_goes_evenly_in_milliseconds_and_in_parts(page):
    ramps = "() => [[5, 0, 10], [0.5, 0.3, 0.7], [1, 2, 2], [2, 2, 2], [-1, 0, 1], [9, 0, 1]]"
    assert page.evaluate(f"() => ({ramps})().map((at) => parts.motion.ramp(...at))") == (
        pytest.approx([0.5, 0.5, 0, 1, 0, 1])
    )


def test_no_task_holds_the_page_while_it_plays(chromium, address, film):
    watch = """async (from) => {
      const long = [];
      film.seek(from);
      const observer = new PerformanceObserver((list) =>
        list.getEntries().forEach((entry) => long.push(entry.duration)));
      await new Promise((done) => setTimeout(done, 300));
      observer.observe({ type: "longtask" });
      film.play();
      await new Promise((done) => setTimeout(done, 5000));
      film.pause();
      observer.disconnect();
      return long;
    }"""
    with film_page.opened(chromium, address) as page:
        # Other processes may hold a busy machine for a moment, but not each time.
        start = film["scenes"][3]["start_ms"] - 2000
        assert any(page.evaluate(watch, start) == [] for _ in range(6))


def test_any_moment_is_drawn_well_within_a_frame(chromium, address, film):
    draw = """(times) => times.map((time) => {
      const took = [0, 1, 2].map((k) => {
        const start = performance.now();
        film.seek(time + k);
        return performance.now() - start;
      });
      return Math.min(...took);
    })"""
    with film_page.opened(chromium, address) as page:
        took = page.evaluate(draw, film_page.times(film)[:-1])
    assert max(took) < 16, max(took)
    assert sorted(took)[len(took) // 2] < 4
