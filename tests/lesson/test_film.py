"""The timeline: what it quotes, where it waits, and what a viewer has time for."""

import itertools
import re

import pytest
from fusedfacts.errors import FactsError
from fusedfacts.lesson import captions, scenes, transcript
from fusedfacts.lesson import film as document
from fusedfacts.prose import forms
from support.common import PUBLISHED
from support.made_up import TURNED, otherwise

SIZES = scenes.Sizes(4096, 64, 16)


def cues(film):
    return [cue for scene in film["scenes"] for cue in scene["cues"]]


def test_the_published_files_are_what_the_facts_give(facts, film):
    assert document.film(facts, SIZES) == film
    assert (PUBLISHED / "captions.vtt").read_text(encoding="utf-8") == captions.webvtt(film)
    written = transcript.transcript(facts, film)
    assert (PUBLISHED / "transcript.md").read_text(encoding="utf-8") == written


def test_a_cue_shows_every_number_that_it_quotes(facts, film):
    claims = forms.by_id(facts)
    for cue in cues(film):
        text = " ".join(cue["lines"])
        for quote in cue["quotes"]:
            assert quote["text"] == forms.quote(claims, quote["claim"], quote["form"])
            assert re.search(rf"(?<!\w){re.escape(quote['text'])}(?!\w)", text), cue["id"]


def test_captions_and_transcript_say_the_same_words(film):
    paragraphs = [words for scene in film["scenes"] for words in scene["paragraphs"]]
    read = " ".join("".join(run["text"] for run in words["runs"]) for words in paragraphs)
    assert " ".join(" ".join(cue["lines"]) for cue in cues(film)) == read


ASKED = {
    "times": (
        "how many times as much does the plain way carry as the fused?",
        "traffic.ratio.n4096.d16",
    ),
    "rows": ("Which answers stay right?", "control.rows_right"),
    "score": ("Which score breaks fp16?", "overflow.fp16.ln_largest"),
}


def test_the_film_waits_between_each_question_and_its_answer(film):
    waits = [cue for cue in cues(film) if cue["id"].endswith("-pause")]
    assert [pause["asks"] for pause in film["pauses"]] == list(ASKED)
    for question, pause in zip(waits, film["pauses"], strict=True):
        words, claim = ASKED[pause["asks"]]
        assert "".join(run["text"] for run in pause["question"]["runs"]).endswith(words)
        assert words.endswith(" ".join(question["lines"])[-20:])
        assert (pause["cue"], pause["at_ms"]) == (question["id"], question["end_ms"])
        assert pause["answer"]["claim"] == claim
        after = cues(film)[cues(film).index(question) + 1]
        # A player that has stopped there shows the question or nothing, and never the answer.
        assert after["start_ms"] >= question["end_ms"] + document.BREATH_MS
        assert pause["answer"] in after["quotes"]


def test_no_answer_is_said_before_it_is_asked_for(film):
    for pause in film["pauses"]:
        said = [cue for cue in cues(film) if cue["start_ms"] < pause["at_ms"]]
        assert pause["answer"]["claim"] not in {q["claim"] for cue in said for q in cue["quotes"]}


@pytest.mark.parametrize("variants", ["published", "all others"])
def test_no_cue_is_too_short_too_long_or_too_fast(facts, film, variants):
    if variants == "all others":
        film = document.film(otherwise(facts, *TURNED), SIZES)
    assert 300_000 <= film["duration_ms"] <= 330_000
    for scene in film["scenes"]:
        assert scene["cues"][0]["start_ms"] == scene["start_ms"]
    for cue in cues(film):
        ms = cue["end_ms"] - cue["start_ms"]
        assert 1600 <= ms <= 7000, cue["id"]
        assert 1000 * len("\n".join(cue["lines"])) <= 17 * ms, cue["id"]
        assert len(cue["lines"]) <= 2
        assert all(0 < len(line) <= 42 for line in cue["lines"])
    for one, other in itertools.pairwise(cues(film)):
        assert one["end_ms"] <= other["start_ms"]
    assert cues(film)[-1]["end_ms"] <= film["duration_ms"]


@pytest.mark.parametrize(
    ("title", "words", "named"),
    [
        ("Long", "word " * 200 + "end.", "found 1004 characters for 23.2 s"),
        ("Short", "Too few w", "found 9 characters"),
        # It could be broken into cues, were there no limit to how fast a viewer reads.
        ("Fast", " ".join(["Eighteen a second."] * 22), "at most 17 characters a second"),
    ],
)
def test_a_scene_that_does_not_fit_its_time_is_named(title, words, named):
    with pytest.raises(FactsError, match=rf"scene 2 \({title}\): .*{named}"):
        document.timed(scenes.Scene(title, words), 1)
