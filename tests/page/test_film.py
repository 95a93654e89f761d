"""The film as it plays: its captions, its question, its keys, and where it resumes."""

import pytest
from support import device_page, film_page

HASTY = "{hasten: 300}"
STATE = "() => film.state"
LONG_MS = 300_000
COUNT_FRAMES = """
  window.frames_asked = 0;
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (run) => { window.frames_asked += 1; return ask(run); };
"""


@pytest.fixture(scope="module")
def browsing(chromium):
    with device_page.opened(chromium) as found:
        yield found


@pytest.fixture
def page(browsing, address):
    film_page.mount(browsing, address)
    return browsing


def wait_for(page, state):
    page.wait_for_function("state => film.state === state", arg=state, timeout=LONG_MS)


def seek(page, time):
    page.evaluate("time => film.seek(time)", time)


def play_to_the_question(page, film, before, asked=0):
    """Play from some milliseconds before it."""
    seek(page, film["pauses"][asked]["at_ms"] - before)
    page.evaluate("film.play()")
    wait_for(page, "waiting")


def test_captions_are_the_film_s_lines_and_name_their_claims(page, film):
    cues = film_page.cues(film)
    shown = film_page.at_each(
        page,
        [(cue["start_ms"] + cue["end_ms"]) / 2 for cue in cues],
        """() => { const region = document.querySelector(".film-captions");
          const data = [...region.querySelectorAll("data")];
          return [region.dataset.cue, [...region.children].map((line) => line.textContent),
            data.map((n) => [n.value, n.textContent])]; }""",
    )
    for cue, found in zip(cues, shown, strict=True):
        claims = [[quote["claim"], quote["text"]] for quote in cue["quotes"]]
        assert found == [cue["id"], cue["lines"], claims]


ANSWERED = """field => {
  field.form.requestSubmit();
  const result = [...document.querySelectorAll(".film-result")].find((p) => p.checkVisibility());
  return result && [result.innerText, result.querySelector("data").value];
}"""


def test_plays_to_each_question_and_to_the_end(page, address, film, facts):
    """Missed on purpose: each is told what is so, and why."""
    claims = {claim["id"]: claim for claim in facts["claims"]}
    film_page.mount(page, address, start="{hasten: 80}")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_for(page, "waiting")
    times, rows, score = film["pauses"]
    assert page.evaluate("film.time") == times["at_ms"]
    # The question stands there, not the answer that comes next.
    [asked] = [cue for cue in film_page.cues(film) if cue["id"] == times["cue"]]
    assert page.locator(".film-captions .film-line").all_inner_texts() == asked["lines"]
    guess = page.get_by_label("how many times as much")
    guess.fill("many")
    guess.press("Enter")
    assert page.get_by_role("alert").filter(has_text="not a number").is_visible()
    assert page.evaluate(STATE) == "waiting"
    guess.fill("about 8 times")
    # Read at once: so hastened, the answer is gone after a few frames.
    text, claim = guess.evaluate(ANSWERED)
    truth = claims[times["answer"]["claim"]]
    assert text.startswith(
        f"Your guess: 8. The answer: about {truth['value']:.1f} times. The plain"
    )
    assert claim == truth["id"]
    wait_for(page, "waiting")
    assert page.evaluate("film.time") == rows["at_ms"]
    choice = page.get_by_label("those whose scores are small")
    choice.check()
    text, claim = choice.evaluate(ANSWERED)
    assert text.startswith(
        f"Not quite. {claims[claim]['display']} answers stay right: wherever the"
    )
    wait_for(page, "waiting")
    assert page.evaluate("film.time") == score["at_ms"]
    guess = page.get_by_label("Which score breaks")
    guess.fill("20")
    text, claim = guess.evaluate(ANSWERED)
    assert "e to your guess is 485,165,195" in text
    assert claim == score["answer"]["claim"]
    wait_for(page, "ended")
    assert page.evaluate("film.time") == film["duration_ms"]
    assert not page.locator(".film-result").filter(visible=True).count()
    seek(page, times["at_ms"] + 4000)
    shown = [seen["text"] for seen in page.evaluate(film_page.SEEN)]
    assert "your guess: 8" in shown
    assert f"about {times['answer']['text']} times" in shown
    seek(page, film["duration_ms"])
    page.get_by_role("button", name="Play again").click()
    assert page.evaluate(STATE) == "playing"


def test_no_answer_is_seen_or_can_be_measured_before_it_is_given(page, address, film):
    until = [at for at in film_page.times(film) if at < film["pauses"][-1]["at_ms"]]
    for time, seen in zip(until, film_page.at_each(page, until, film_page.SEEN), strict=True):
        shown = {part.get("claim") for text in seen for part in text["marked"]}
        for pause in film["pauses"]:
            assert time >= pause["at_ms"] or pause["answer"]["claim"] not in shown
    # The bar's room is that of what can be guessed, whatever the answer is.
    widths = """() => [...document.querySelectorAll(".film-stage .scene-6 rect")]
      .filter((node) => node.checkVisibility()).map((node) => node.getAttribute("width"))"""
    times = film["pauses"][0]
    seek(page, times["at_ms"] - 1)
    before = page.evaluate(widths)
    change = (
        f"""sources.facts.claims.find((c) => c.id === "{times["answer"]["claim"]}").value *= 2"""
    )
    film_page.mount(page, address, before=change)
    seek(page, times["at_ms"] - 1)
    assert page.evaluate(widths) == before


def test_the_bar_is_dragged_in_the_picture_and_by_keys(page, film):
    play_to_the_question(page, film, 60)
    bar = page.get_by_label("How long the plain way's bar is")
    bar.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    label = "() => document.querySelector('.scene-6').textContent"
    assert "your guess: 3.5" in page.evaluate(label)
    assert page.evaluate("film.time") == film["pauses"][0]["at_ms"]
    frame = page.locator(".scene-6 .lamp").first.evaluate(
        "() => { const m = document.querySelector('.film-stage').getScreenCTM();"
        " return [m.a, m.e, m.f]; }"
    )
    scale, x, y = frame
    page.mouse.move(x + 200 * scale, y + 510 * scale)
    page.mouse.down()
    page.mouse.move(x + 800 * scale, y + 510 * scale, steps=3)
    page.mouse.up()
    assert "your guess: 32" in page.evaluate(label)
    assert page.get_by_label("how many times as much").input_value() == "32"
    assert page.evaluate(STATE) == "waiting"


def test_a_guess_beyond_the_bar_is_shown_to_go_on(page, film):
    """And one on it stands where it was said, whatever the answer is."""
    places = {}
    for typed in ("20", "63", "400"):
        play_to_the_question(page, film, 40)
        page.get_by_label("how many times as much").fill(typed)
        places[typed] = page.evaluate("document.querySelector('.scene-6').textContent")
        seek(page, 0)
    assert "your guess: 400 →" in places["400"]
    assert "→" not in places["20"] + places["63"]


def test_buttons_have_edges_where_colours_are_the_visitor_s(page, address, film):
    film_page.mount(page, address, forced_colors="active")
    play_to_the_question(page, film, 40)
    for button in page.locator("#film button").filter(visible=True).all():
        edge = button.evaluate("node => getComputedStyle(node).borderTopWidth")
        assert float(edge.removesuffix("px")) >= 1
    page.emulate_media(forced_colors="none")


@pytest.mark.parametrize("asked", range(3))
def test_a_question_can_be_passed_and_comes_again(page, address, film, asked):
    film_page.mount(page, address, start=HASTY)
    play_to_the_question(page, film, 1200, asked)
    # No trap: tab leaves the form, a seek leaves the question, and it may be skipped.
    for _ in range(8):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('form')") is None
    seek(page, film["pauses"][asked]["at_ms"] + 100)
    assert page.evaluate(STATE) == "paused"
    assert not page.locator(".film-question").filter(visible=True).count()
    play_to_the_question(page, film, 100, asked)
    page.get_by_role("button", name="Just show me").click()
    assert page.locator(".film-result").nth(asked).inner_text()
    assert page.evaluate(STATE) in ("playing", "ended", "waiting")


def test_keys(page, film):
    page.locator(".film-range").focus()
    starts = [scene["start_ms"] for scene in film["scenes"]]
    ends = {"3": starts[2], "0": starts[9], "Home": 0, "End": film["duration_ms"]}
    for key, time in ends.items():
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


def test_slider(page, film):
    slider = page.get_by_role("slider", name="Position in the film")
    slider.fill("100000")
    assert page.evaluate("film.time") == 100_000
    assert slider.get_attribute("aria-valuetext") == "1:40, Shares without the whole row"
    assert page.locator(".film-mark").count() == len(film["scenes"]) - 1


def test_resumes_after_reload_says_so_and_starts_anew_after_the_end(page, address, film):
    seek(page, 64_000)
    film_page.mount(page, address, forget=False)
    assert page.evaluate("[film.time, film.state]") == [64_000, "paused"]
    assert page.locator(".film-note").inner_text().startswith("You were here: 1:04.")
    page.get_by_role("button", name="From the start").click()
    assert page.evaluate("[film.time, film.state]") == [0, "paused"]
    assert not page.locator(".film-note").is_visible()
    # Left at the question, it is asked again.
    for _ in range(2):
        play_to_the_question(page, film, 20)
        film_page.mount(page, address, forget=False)
    seek(page, film["duration_ms"])
    film_page.mount(page, address, forget=False)
    assert page.evaluate("film.time") == 0


def test_nobody_comes_back_to_behind_a_question_that_was_not_met(page, address, film):
    times, rows, _ = (pause["at_ms"] for pause in film["pauses"])
    seek(page, times + 5000)
    film_page.mount(page, address, forget=False)
    assert page.evaluate("film.time") == times - 1
    page.evaluate("film.play()")
    wait_for(page, "waiting")
    page.get_by_role("button", name="Just show me").click()
    for left, found in [(times + 5000, times + 5000), (rows + 500, rows - 1)]:
        seek(page, left)
        film_page.mount(page, address, forget=False)
        assert page.evaluate("film.time") == found


def test_pauses_where_it_is_scrolled_out_of_sight(page):
    page.evaluate("film.play()")
    page.locator("#film").evaluate("node => { node.style.marginBottom = '3000px'; }")
    page.evaluate("scrollTo(0, 2500)")
    wait_for(page, "paused")


def test_works_where_storage_is_refused(page, address, film):
    refuse = """Object.defineProperty(window, "localStorage", {
      get() { throw new DOMException("refused", "SecurityError"); } })"""
    film_page.mount(page, address, before=refuse, start=HASTY)
    play_to_the_question(page, film, 3000)


def test_reduced_motion_gives_stills(page, address, film):
    still = {"start": "{hasten: 8}", "reduced_motion": "reduce"}
    film_page.mount(page, address, before=COUNT_FRAMES, **still)
    cues = [cue for scene in film["scenes"] for cue in scene["cues"][:2]]
    times = [time for cue in cues for time in (cue["start_ms"] + 100, cue["end_ms"] - 100)]
    drawn = film_page.at_each(page, times, "() => document.querySelector('.film-stage').innerHTML")
    assert drawn[::2] == drawn[1::2]
    seek(page, 8000)
    page.evaluate("() => { window.frames_asked = 0; film.play(); }")
    page.wait_for_function("() => film.time > 24000", polling=100, timeout=LONG_MS)
    assert page.evaluate("frames_asked") == 0


SEEN_SHAPES = """() => {
  const seen = (node) => node.checkVisibility() && Number(node.getAttribute("opacity") ?? 1) > 0.3;
  const lit = (node) => seen(node) && [...node.children].some(
    (part) => (part.tagName === "g" || part.tagName === "svg" ? lit(part) : seen(part)));
  return [...document.querySelectorAll(".film-stage .scene")].some(lit);
}"""


def test_no_still_is_empty(page, address, film):
    film_page.mount(page, address, reduced_motion="reduce")
    cues = film_page.cues(film)
    seen = film_page.at_each(page, [cue["start_ms"] + 1 for cue in cues], SEEN_SHAPES)
    assert [cue["id"] for cue, shown in zip(cues, seen, strict=True) if not shown] == []


def test_a_number_of_errors_comes_with_its_bar(page, film):
    """And not before: what a bar's label says is as long as the bar."""
    number = """() => {
      const text = document.querySelector('.scene-4 [data-claim="attention.largest_ratio"]');
      const row = text.closest("g");
      const bars = [...row.querySelectorAll("rect.lamp, rect.fused")];
      const widths = bars.map((bar) => Number(bar.getAttribute("width")));
      return [text.checkVisibility(), Math.max(...widths)];
    }"""
    cues = film["scenes"][3]["cues"]
    found = film_page.at_each(page, range(cues[8]["start_ms"], cues[-1]["end_ms"], 250), number)
    full = max(width for _, width in found)
    assert all(width > 0.8 * full for shown, width in found if shown)
    assert found[-1][0]
