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


def play_to_the_question(page, film, before):
    """Play from some milliseconds before it."""
    seek(page, film["pause"]["at_ms"] - before)
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


ANSWERED = """guess => {
  guess.form.requestSubmit();
  const result = document.querySelector(".film-result");
  return result.checkVisibility() && [result.innerText, result.querySelector("data").value];
}"""


def test_plays_to_the_question_answers_it_and_plays_to_the_end(page, address, film, facts):
    truth = next(c for c in facts["claims"] if c["id"] == film["pause"]["answer"]["claim"])
    film_page.mount(page, address, start="{hasten: 80}")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_for(page, "waiting")
    assert page.evaluate("film.time") == film["pause"]["at_ms"]
    # The question stands there, not the answer that comes next.
    [asked] = [cue for cue in film_page.cues(film) if cue["id"] == film["pause"]["cue"]]
    assert page.locator(".film-captions .film-line").all_inner_texts() == asked["lines"]
    seen = " ".join(text["text"] for text in page.evaluate(film_page.SEEN))
    assert f"{truth['value']:.1f}" not in seen
    guess = page.get_by_label("How many times as much")
    assert guess.evaluate("node => node === document.activeElement")
    guess.fill("many")
    guess.press("Enter")
    assert page.get_by_role("alert").inner_text()
    assert page.evaluate(STATE) == "waiting"
    guess.fill("about 8 times")
    # Read at once: so hastened, the answer is gone after a few frames.
    assert guess.evaluate(ANSWERED) == [
        f"Your guess: 8. The answer: about {truth['value']:.1f} times.",
        truth["id"],
    ]
    wait_for(page, "ended")
    assert page.evaluate("film.time") == film["duration_ms"]
    assert not page.locator(".film-result").is_visible()
    seek(page, film["pause"]["at_ms"] + 2000)
    shown = [seen["text"] for seen in page.evaluate(film_page.SEEN)]
    assert "your guess: 8" in shown
    assert f"about {film['pause']['answer']['text']} times" in shown
    seek(page, film["duration_ms"])
    page.get_by_role("button", name="Play again").click()
    assert page.evaluate(STATE) == "playing"


def test_the_question_can_be_passed_and_comes_again(page, address, film):
    film_page.mount(page, address, start=HASTY)
    play_to_the_question(page, film, 3000)
    # No trap: tab leaves the form, a seek leaves the question, and it may be skipped.
    for _ in range(5):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('form')") is None
    seek(page, film["pause"]["at_ms"] + 100)
    assert page.evaluate(STATE) == "paused"
    assert not page.locator(".film-question").is_visible()
    play_to_the_question(page, film, 100)
    page.get_by_role("button", name="Just show me").click()
    assert page.locator(".film-result").inner_text().startswith("The answer: about")
    assert page.evaluate(STATE) in ("playing", "ended")


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


def test_resumes_after_reload_and_starts_anew_after_the_end(page, address, film):
    seek(page, 64_000)
    film_page.mount(page, address, forget=False)
    assert page.evaluate("[film.time, film.state]") == [64_000, "paused"]
    assert page.locator(".film-time").inner_text() == "1:04 / 5:07"
    # Left at the question, it is asked again.
    for _ in range(2):
        play_to_the_question(page, film, 20)
        film_page.mount(page, address, forget=False)
    seek(page, film["duration_ms"])
    film_page.mount(page, address, forget=False)
    assert page.evaluate("film.time") == 0


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
