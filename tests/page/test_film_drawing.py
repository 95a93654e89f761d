"""What the film draws: the facts, in text that can be read, with nothing typed."""

import math
import re

import pytest
from support import device_page, film_page
from support.colours import CONTRAST, contrast

TEXTS = ("ink", "soft", "lamp", "fused", "wrong", "sea-text")
BEHIND = ("night", "sky", "sea")
# Why a number may be shown beside the claims: it tells rows or axes apart, is one of the model's
# own scores in drawn.json or follows from them, names a format, or is the viewer's.
REASONS = ("row", "axis", "model", "name", "guess")


@pytest.fixture(scope="module")
def page(chromium):
    with device_page.opened(chromium) as found:
        yield found


@pytest.fixture
def changed(page, address):
    """What a script finds at a cue's end in the film of the facts, and in one of changed facts."""

    def found(cue, script, change):
        for before in ("", change):
            film_page.mount(page, address, before=before)
            yield from film_page.at_each(page, [cue["end_ms"] - 60], script)

    return found


def test_a_claim_that_other_facts_do_not_have_is_not_drawn(changed, film):
    claim = "operations.extra.exps.n4096.d64"
    found = changed(
        film["scenes"][8]["cues"][-1],
        """() => document.querySelectorAll(".scene-9 > .powers").length""",
        f"""sources.facts.claims = sources.facts.claims.filter((c) => c.id !== "{claim}");""",
    )
    assert list(found) == [1, 0]


def test_the_wrong_answers_drawn_are_those_of_the_facts(changed, film, facts):
    heads = facts["control"]["heads"]
    wrong = [
        f"{head}.{row}"
        for head, told in enumerate(heads)
        for row, is_wrong in enumerate(told["row_is_wrong"])
        if is_wrong
    ]
    crosses, other = changed(
        film["scenes"][6]["cues"][-1],
        """() => [[...document.querySelectorAll("[data-wrong]")].map((n) => n.dataset.wrong).sort(),
          document.querySelectorAll("g .crate.late").length]""",
        "sources.facts.control.heads[2].row_is_wrong[3] = true",
    )
    # Each stands on a crate that says its largest score came later, and no other crate does.
    late = sum(sum(told["row_has_late_maximum"]) for told in heads)
    assert crosses == [sorted(wrong), late + 1]  # and one in the key
    assert other[0] == sorted([*wrong, "2.3"])


def test_other_facts_give_other_bars(changed, film):
    claim = "traffic.fused.mib.n4096.d64"
    shown, other = changed(
        film["scenes"][4]["cues"][-1],
        f"""() => [document.querySelector('.film-stage [data-claim="{claim}"]').textContent,
          Math.max(...[...document.querySelectorAll(".scene-5 rect.fused")]
            .map((n) => Number(n.getAttribute("width"))))]""",
        f"""const claim = sources.facts.claims.find((c) => c.id === "{claim}");
          claim.value *= 1.5; claim.display = "387";""",
    )
    assert [shown[0], other[0]] == ["258", "387"]
    assert other[1] / shown[1] == pytest.approx(1.5, rel=0.01)


def test_other_facts_give_another_histogram_and_tide(changed, film):
    cues = film["scenes"][7]["cues"]
    columns = """() => [...document.querySelectorAll("rect.column")]
      .map((n) => n.getAttribute("height"))"""
    drawn = changed(cues[8], columns, "sources.facts.overflow.histogram.counts[20] = 1")
    assert [k for k, (a, b) in enumerate(zip(*drawn, strict=True)) if a != b] == [20]
    curve = "() => document.querySelector('.scene-8 path.guide').getAttribute('d')"
    change = "sources.facts.overflow.probe_last_row.largest_score = 5"
    tide, other = changed(cues[5], curve, change)
    assert tide != other


def test_the_scores_and_shares_drawn_are_the_model_s(page, address, film, facts):
    film_page.mount(page, address)
    table = facts["sentence"]["first_tile"]["scores"]
    cues = film["scenes"][2]["cues"]
    cells = """() => [...document.querySelectorAll(".scene-3 g:has(> .pane) > text")]
      .map((n) => n.textContent.replace("\\u2212", "-"))"""
    scores, shares = film_page.at_each(page, [cues[0]["end_ms"], cues[1]["end_ms"] - 60], cells)
    told = [[float(text) for text in found] for found in (scores, shares)]
    assert told[0] == pytest.approx([x for row in table for x in row], abs=0.05001)
    place = 0
    for row in table:
        powers = [math.exp(score - max(row)) for score in row]
        wanted = [power / sum(powers) for power in powers]
        assert told[1][place : place + len(row)] == pytest.approx(wanted, abs=0.00501)
        assert sum(wanted) == pytest.approx(1)
        place += len(row)


def test_the_row_s_three_vessels_are_those_of_its_scores(page, address, film, facts):
    """Largest and total at the end of the row, and an answer that is divided by the total."""
    film_page.mount(page, address)
    tile = facts["sentence"]["first_tile"]
    row, values = tile["scores"][-1], tile["values"]
    powers = [math.exp(score - max(row)) for score in row]
    total = sum(powers)
    answer = [
        sum(p * v[i] for p, v in zip(powers, values, strict=True)) for i in range(len(values[0]))
    ]
    cue = film["scenes"][3]["cues"][7]
    bars = """() => [
      [...document.querySelectorAll(".scene-4 text")].map((n) => n.textContent),
      [...document.querySelectorAll(".scene-4 g:has(> .grid) > rect.fused")]
        .map((n) => Number(n.getAttribute("height")))]"""
    (texts, mixed), (_, divided) = film_page.at_each(page, [cue["start_ms"], cue["end_ms"]], bars)
    assert f"{max(row):.1f}" in texts
    assert f"{total:.2f}" in texts
    scale = mixed[0] / abs(answer[0])
    assert mixed == pytest.approx([max(0.1, scale * abs(x)) for x in answer], abs=0.2)
    assert divided == pytest.approx([max(0.1, scale * abs(x) / total) for x in answer], abs=0.2)


def test_heads_have_the_numbers_of_their_claims(page, address, film):
    film_page.mount(page, address)
    rows = """() => [...document.querySelectorAll(".film-stage [data-claim]")]
      .filter((n) => /head[0-9]/.test(n.dataset.claim))
      .map((n) => [n.dataset.claim.match(/head([0-9])/)[1], n.textContent])"""
    names = """() => [...document.querySelectorAll('.film-stage [data-why="row"]')]
      .map((n) => n.textContent)"""
    for scene, cue in [(3, -1), (6, -1)]:
        at = film["scenes"][scene]["cues"][cue]["end_ms"]
        [labels] = film_page.at_each(page, [at], names)
        assert labels[-4:] == ["0", "1", "2", "3"]
    [told] = film_page.at_each(page, [at], rows)
    assert [head for head, _ in told] == labels[-4:]


def test_what_moves_is_what_the_caption_says(page, address, film):
    """Ours: keys and values go past. Dao's: they lie still, and questions come and go."""
    film_page.mount(page, address)
    cues = film["scenes"][4]["cues"]
    moved = """() => Object.fromEntries(["key", "value", "lamp"].map((kind) => [kind,
      [...document.querySelectorAll(`.scene-5 g > rect.${kind}`)]
        .filter((n) => n.checkVisibility() && n.parentNode.querySelector(":scope > .tray"))
        .map((n) => n.getScreenCTM().e.toFixed(1))]))"""

    def kinds_that_move(cue):
        span = cue["end_ms"] - cue["start_ms"]
        times = [cue["start_ms"] + span * part // 10 for part in range(3, 8)]
        seen = film_page.at_each(page, times, moved)
        return {kind for kind in seen[0] if len({tuple(one[kind]) for one in seen}) > 1}

    assert kinds_that_move(cues[2]) == {"key", "value"}
    assert kinds_that_move(cues[6]) == {"lamp"}


@pytest.mark.parametrize(
    ("width", "least"), [(1280, 14), (360, 12), pytest.param(820, 12, marks=pytest.mark.slow)]
)
def test_numbers_are_claims_and_texts_lie_apart_inside_and_large_enough(
    page, address, film, facts, width, least
):
    film_page.mount(page, address, width=width)
    times = film_page.times(film)
    quoted = set()
    for time, seen in zip(times, film_page.at_each(page, times, film_page.SEEN), strict=True):
        for text in seen:
            assert not re.search(r"\d", "".join(text["plain"])), (time, text["text"])
            quoted |= claims_of(text, film, facts)
        clear = [text for text in seen if text["opacity"] > 0.5]
        for text in clear:
            left, top, right, bottom = text["box"]
            room = text["room"]
            inside = left >= 0 and top >= 0 and right <= room[0] and bottom <= room[1]
            assert inside, (time, text["text"], text["box"])
            assert text["size"] >= least, (time, text["text"])
        straight = [text for text in clear if not text["turned"]]
        for index, one in enumerate(straight):
            for other in straight[index + 1 :]:
                assert not overlap(one, other), (time, one["text"], other["text"])
    everything = {quote["claim"] for cue in film_page.cues(film) for quote in cue["quotes"]}
    assert everything - {"kernels.fused", "kernels.unfused", "model.heads"} <= quoted


def claims_of(text, film, facts):
    """The claims that a text quotes, each as it is displayed; other numbers have a reason."""
    displays = {claim["id"]: claim["display"] for claim in facts["claims"]}
    for pause in film["pauses"]:
        displays[pause["answer"]["claim"]] = pause["answer"]["text"]
    found = set()
    for part in text["marked"]:
        if "claim" in part:
            assert part["text"] == displays[part["claim"]], part
            found.add(part["claim"])
        else:
            assert part["why"] in REASONS
    return found


def overlap(one, other):
    """Whether letters meet: a line's box has a fifth of air above and below them."""
    (a, b, c, d), (e, f, g, h) = one["box"], other["box"]
    across = min(c, g) - max(a, e)
    down = min(d - (d - b) / 5, h - (h - f) / 5) - max(b + (d - b) / 5, f + (h - f) / 5)
    return across > 1 and down > 1


def test_text_stands_out_from_the_night(page, address):
    film_page.mount(page, address)
    colours = page.evaluate(
        """(names) => Object.fromEntries(names.map((name) => {
            const probe = document.querySelector("#film").appendChild(document.createElement("i"));
            probe.style.color = `var(--${name})`;
            return [name, getComputedStyle(probe).color];
          }))""",
        [*TEXTS, *BEHIND],
    )
    for text in TEXTS:
        for behind in BEHIND:
            assert contrast(colours[text], colours[behind]) >= CONTRAST, (text, behind)


def test_the_stage_says_what_it_shows(page, address, film):
    film_page.mount(page, address)
    starts = [scene["start_ms"] + 1000 for scene in film["scenes"]]
    stage = "() => document.querySelector('.film-stage')"
    labels = film_page.at_each(page, starts, f"() => ({stage})().getAttribute('aria-label')")
    for scene, label in zip(film["scenes"], labels, strict=True):
        title = "".join(run["text"] for run in scene["title"]["runs"])
        assert label.startswith(f"{title}. ")
    assert len(set(labels)) == len(film["scenes"])
    assert page.locator(".film-stage").get_attribute("role") == "img"


def test_a_moment_is_drawn_alike_however_one_comes_to_it(page, address, film):
    film_page.mount(page, address)
    times = film_page.times(film)
    drawing = """() => {
      const stage = document.querySelector(".film-stage").cloneNode(true);
      for (const hidden of stage.querySelectorAll("[display=none]")) hidden.remove();
      return stage.innerHTML;
    }"""
    onward = film_page.at_each(page, times, drawing)
    assert film_page.at_each(page, times[::-1], drawing) == onward[::-1]
    assert len(set(onward)) > len(film_page.cues(film))
