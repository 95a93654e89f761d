"""The film: what it quotes, how its words break, and what a viewer has time for."""

import itertools
import re

import pytest
import webvtt as parser
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.lesson import captions, scenes, timeline, transcript
from fusedfacts.lesson import cues as phrases
from fusedfacts.lesson import film as document
from fusedfacts.prose import forms, marks, templates
from jinja2 import nodes
from support.common import PUBLISHED
from support.made_up import TURNED, otherwise

SIZES = scenes.Sizes(4096, 64, 16)
# film.md's plan.
PLANNED = (0, 8, 32, 72, 112, 172, 188, 225, 265, 290)
MOST_LATE = 3  # seconds


@pytest.fixture(scope="module")
def film(facts):
    return document.film(facts, SIZES)


def cues(film):
    return [cue for scene in film["scenes"] for cue in scene["cues"]]


def said(film):
    """Everything a viewer reads, as one text."""
    return " ".join(" ".join(cue["lines"]) for cue in cues(film))


# --- what is said ------------------------------------------------------------------------------


def test_the_published_files_are_what_the_facts_give(facts, film):
    assert canonical_json.read(PUBLISHED / "film.json") == film
    assert (PUBLISHED / "captions.vtt").read_text(encoding="utf-8") == captions.webvtt(film)
    assert (PUBLISHED / "transcript.md").read_text(encoding="utf-8") == transcript.transcript(
        facts, film
    )


def test_it_quotes_what_the_plan_lists(film):
    quoted = {quote["claim"] for cue in cues(film) for quote in cue["quotes"]}
    assert {
        "traffic.table.mib.n4096",
        "traffic.table.crossings",
        "kernels.unfused",
        "model.heads",
        "attention.largest_ratio",
        "traffic.unfused.mib.n4096.d64",
        "traffic.fused.mib.n4096.d64",
        "traffic.unfused.mib.n4096.d16",
        "traffic.fused.mib.n4096.d16",
        "tiles.query_rows.d16",
        "tiles.query_rows.d64",
        "traffic.ratio.n4096.d16",
        "control.rows_wrong",
        "overflow.fp16.largest",
        "overflow.fp16.ln_largest",
        "overflow.fp16.ln_rounds_to_infinity_from",
        "overflow.probe_last_row.largest_score",
        "overflow.held_out.infinite_terms",
        "overflow.held_out.scores",
        "operations.extra.exps.n4096.d64",
    } <= quoted


def test_a_cue_shows_every_number_that_it_quotes(facts, film):
    claims = forms.by_id(facts)
    for cue in cues(film):
        text = " ".join(cue["lines"])
        for quote in cue["quotes"]:
            assert quote["text"] == forms.quote(claims, quote["claim"], quote["form"])
            assert re.search(rf"(?<!\w){re.escape(quote['text'])}(?!\w)", text), cue["id"]


def test_captions_and_transcript_say_the_same_words(film):
    paragraphs = [words for scene in film["scenes"] for words in scene["paragraphs"]]
    told = " ".join("".join(run["text"] for run in words["runs"]) for words in paragraphs)
    assert said(film) == told


def test_the_film_waits_once_between_the_question_and_its_answer(film):
    (question,) = [cue for cue in cues(film) if cue["id"].endswith("-pause")]
    asked = " ".join(question["lines"])
    assert asked.startswith("How many times as much")
    assert asked.endswith("?")
    assert film["pause"] == {
        "cue": question["id"],
        "at_ms": question["end_ms"],
        "answer": {"claim": "traffic.ratio.n4096.d16", "form": "places=1", "text": "16.5"},
    }
    after = cues(film)[cues(film).index(question) + 1]
    # A player that has stopped there shows the question or nothing, and never the answer.
    assert after["start_ms"] >= question["end_ms"] + timeline.BREATH_MS
    assert film["pause"]["answer"] in after["quotes"]


# --- sentences that hang on a fact -------------------------------------------------------------


def branches():
    """The words of every branch of the template, without those around the branches."""
    tree = templates.parsed(templates.source(scenes.TEMPLATE), scenes.TEMPLATE)
    for choice in tree.find_all(nodes.If):
        for body in (choice.body, choice.else_):
            for part in body:
                for data in part.find_all(nodes.TemplateData):
                    text = " ".join(data.data.split())
                    if len(text) > len(" MiB."):
                        yield text


def test_every_variant_is_said_by_some_facts(facts):
    told = [said(document.film(facts, SIZES))]
    told += [said(document.film(otherwise(facts, outcome), SIZES)) for outcome in TURNED]
    wanted = list(branches())
    assert len(wanted) > 2 * len(TURNED)
    for words in wanted:
        assert any(words in text for text in told), words


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
def test_another_fact_gives_another_sentence(facts, outcome, says, not_this):
    text = said(document.film(otherwise(facts, outcome), SIZES))
    assert says in text
    assert not_this not in text
    assert not_this in said(document.film(facts, SIZES))


def test_all_variants_together_still_fit_their_time(facts):
    changed = otherwise(facts, *TURNED)
    check_timing(document.film(changed, SIZES))


# --- what a viewer has time for ----------------------------------------------------------------


def check_timing(film):
    assert 300_000 <= film["duration_ms"] <= 315_000
    for planned, scene in zip(PLANNED, film["scenes"], strict=True):
        assert abs(scene["start_ms"] - 1000 * planned) <= 1000 * MOST_LATE
        assert scene["cues"][0]["start_ms"] == scene["start_ms"]
    for cue in cues(film):
        length = len("\n".join(cue["lines"]))
        ms = cue["end_ms"] - cue["start_ms"]
        assert 1000 <= ms <= 7000, cue["id"]
        assert 1000 * length <= 17 * ms, cue["id"]
        assert len(cue["lines"]) <= 2
        assert all(0 < len(line) <= 42 for line in cue["lines"])
    for one, other in itertools.pairwise(cues(film)):
        assert one["end_ms"] <= other["start_ms"]
    assert cues(film)[-1]["end_ms"] <= film["duration_ms"]


def test_no_cue_is_too_short_too_long_or_too_fast(film):
    check_timing(film)


def test_time_inside_a_scene_is_shared_by_characters(film):
    for scene in film["scenes"]:
        speeds = [
            len("\n".join(cue["lines"])) / (cue["end_ms"] - cue["start_ms"])
            for cue in scene["cues"]
        ]
        assert max(speeds) <= 1.01 * min(speeds)


def test_a_scene_with_too_many_words_is_named():
    scene = scenes.Scene("Long", "word " * 200 + "end.")
    with pytest.raises(FactsError, match=r"scene 2 \(Long\): found 1004 characters for 23.2 s"):
        document.timed(scene, 1)


def test_a_scene_with_too_few_words_is_named():
    with pytest.raises(FactsError, match=r"scene 2 \(Short\): found 9 characters"):
        document.timed(scenes.Scene("Short", "Too few w"), 1)


# --- where words break -------------------------------------------------------------------------


def anything(length):
    return True


def test_a_cue_breaks_at_phrases():
    text = "largest and total can be built together, as the scores go by."
    (cue,) = phrases.cues(text.split(), anything)
    assert cue.lines == ("largest and total can be built together,", "as the scores go by.")


def test_a_number_stays_with_its_unit(film):
    for cue in cues(film):
        for line in cue["lines"]:
            assert not line.startswith(("MiB", "words ", "numbers ", "times "))


def test_no_line_ends_with_a_word_that_leans_on_the_next(film):
    for cue in cues(film):
        for line in cue["lines"]:
            assert line.split()[-1].lower() not in {"a", "an", "the", "of", "our", "its"}, line


def test_a_word_longer_than_a_line_cannot_be_broken():
    assert phrases.cues(["x" * 43], anything) == []


def test_a_pause_ends_its_cue():
    words = f"How many?{scenes.PAUSE} Four.".split()
    assert [(cue.lines, cue.waits) for cue in phrases.cues(words, anything)] == [
        (("How many?",), True),
        (("Four.",), False),
    ]


def test_words_that_are_quoted_keep_their_claims_through_breaking():
    words = ["all", marks.mark("model.heads", "word", "four"), "heads"] * 12
    found = phrases.cues(words, anything)
    assert sum(len(marks.quoted(line)) for cue in found for line in cue.lines) == 12


# --- the template ------------------------------------------------------------------------------


def test_another_number_of_scenes_is_refused(facts):
    text = templates.source(scenes.TEMPLATE)
    with pytest.raises(FactsError, match="found 11 scenes, expected 10"):
        scenes.scenes(facts, SIZES, text + "\n# And then\n\nMore.\n")


@pytest.mark.parametrize("change", [("{{ pause }}", ""), ("Goodnight.", "Goodnight. {{ pause }}")])
def test_not_one_pause_is_refused(facts, change):
    text = templates.source(scenes.TEMPLATE).replace(*change)
    with pytest.raises(FactsError, match=r"pauses, expected 1"):
        scenes.scenes(facts, SIZES, text)


def test_words_before_the_first_scene_and_a_title_twice_are_refused(facts):
    text = templates.source(scenes.TEMPLATE)
    with pytest.raises(FactsError, match=r"found 'Hello there.* before the first title"):
        scenes.scenes(facts, SIZES, "Hello there.\n" + text)
    with pytest.raises(FactsError, match="found the title 'Goodnight' twice"):
        scenes.scenes(facts, SIZES, text.replace("# The question", "# Goodnight"))


@pytest.mark.parametrize(
    "change",
    [
        ("# Goodnight", "# Goodnight {{ pause }}"),
        ("# Goodnight\n", "# Goodnight\n\n{#"),
    ],
)
def test_a_pause_in_a_title_and_a_scene_without_words_are_refused(facts, change):
    text = templates.source(scenes.TEMPLATE).replace(*change)
    if change[1].endswith("{#"):
        text += "#}"
    else:
        text = text.replace("the fused? {{ pause }}", "the fused?")
    with pytest.raises(FactsError, match="has no words, or a pause in its title"):
        scenes.scenes(facts, SIZES, text)


def test_a_pause_may_stand_on_a_line_of_its_own(facts):
    text = templates.source(scenes.TEMPLATE).replace(
        "the fused? {{ pause }}", "the fused?\n{{ pause }}"
    )
    assert document.film(facts, SIZES, text) == document.film(facts, SIZES)


def test_a_scene_at_eighteen_characters_a_second_is_refused():
    """It could be broken into cues, were there no limit to how fast a viewer reads."""
    words = " ".join(["Eighteen a second."] * 22)
    assert len(words) / 23.2 == pytest.approx(18, abs=0.1)
    with pytest.raises(FactsError, match="at most 17 characters a second"):
        document.timed(scenes.Scene("Fast", words), 1)


BREAKS = (
    ("The plain way takes three passes,", "each of them a kernel of its own."),
    ("scores written, scores read,", "shares written, shares read."),
    ("Nobody asked to see that table.", "We only wanted the answers."),
    ("When a larger score comes,", "shrink the total to match, and go on."),
    ("Our kernel follows the idea.", "A crew takes on a tile of questions."),
    ("Then the plain way moves 272.5 MiB,", "and the fused way 16.5."),
    ("Of 96 answers, 31 came out wrong,", "on all four heads: 8, 9, 6, 8."),
    ("That is not a time,", "and a cache may serve part of it."),
    ("and what they cannot.", "Goodnight."),
)


@pytest.mark.parametrize("lines", BREAKS, ids=lambda lines: lines[0])
def test_the_film_s_own_lines_break_where_a_speaker_breathes(film, lines):
    assert list(lines) in [cue["lines"] for cue in cues(film)]


def test_a_question_without_an_answer_is_refused(facts):
    text = templates.source(scenes.TEMPLATE)
    start, end = text.index("About {{"), text.index("# Forget")
    text = text[:start] + "Guess.\n\n" + text[end:]
    with pytest.raises(FactsError):
        document.film(facts, SIZES, text)


def test_a_quote_that_is_two_words_is_refused(facts):
    changed = otherwise(facts)
    claim = next(c for c in changed["claims"] if c["id"] == "control.rows")
    claim["display"] = "96 or so"
    with pytest.raises(ClaimError, match="expected one word that a caption can keep together"):
        scenes.scenes(changed, SIZES)


def test_sizes_that_were_not_swept_are_named(facts):
    with pytest.raises(ClaimError, match="found no size n = 511, d = 64"):
        scenes.scenes(facts, scenes.Sizes(511, 64, 16))


# --- WebVTT ------------------------------------------------------------------------------------


def test_a_library_reads_the_captions_as_they_are_meant(film):
    read = parser.from_string(captions.webvtt(film))
    assert [
        (caption.identifier, caption.start, caption.end, caption.lines) for caption in read
    ] == [
        (
            cue["id"],
            captions.timestamp(cue["start_ms"]),
            captions.timestamp(cue["end_ms"]),
            cue["lines"],
        )
        for cue in cues(film)
    ]


def test_a_player_is_told_where_to_stop(film):
    text = captions.webvtt(film)
    assert text.startswith("WEBVTT - Fused attention\n\nNOTE Stop after the cue whose identifier")
    assert "ends in -pause, until the viewer has answered." in text


def test_words_are_escaped():
    cue = {"id": "1.1", "start_ms": 0, "end_ms": 1000, "lines": ["a < b & c --> d"], "quotes": []}
    scene = {"title": {"runs": [{"text": "T --> U"}]}, "cues": [cue]}
    assert captions.webvtt({"scenes": [scene]}).count("-->") == 1
    assert "a &lt; b &amp; c --&gt; d" in captions.webvtt({"scenes": [scene]})


def test_the_transcript_tells_sources_limits_and_each_head(facts, film):
    text = transcript.transcript(facts, film)
    for source in facts["sources"]:
        assert source["title"] in text
        assert (f"({source['id']})" in text) == source["id"].startswith("arXiv:")
    shown = marks_off(text)
    for h, head in enumerate(facts["attention"]["heads"]):
        for way, figures in head.items():
            error, bound = figures["largest_error"], figures["bound_there"]
            assert f"| `head{h}` | `{way}` | {error} | {bound} | yes |" in shown
        wrong = facts["control"]["heads"][h]["rows_wrong"]
        assert f"| `head{h}` | {wrong} | {24 - wrong} |" in shown


def marks_off(text):
    """A document without its spans."""
    return re.sub(r"<!-- claim [^>]*-->(.*?)<!-- end -->", r"\1", text)


def test_a_clock_is_what_a_viewer_reads():
    assert [timeline.clock(ms) for ms in (0, 59_999, 60_000)] == ["0:00", "0:59", "1:00"]
