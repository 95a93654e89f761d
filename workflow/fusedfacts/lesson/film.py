"""film.json: the timeline that captions, transcript and page are written from, and its readers."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import Any

from fusedfacts.documents import schema
from fusedfacts.errors import FactsError
from fusedfacts.lesson import cues
from fusedfacts.lesson.scenes import ASKED, END, PAUSE, STARTS, TEMPLATE, Scene, Sizes, scenes
from fusedfacts.prose import marks

SCHEMA_VERSION = 2
PAUSE_ID = "-pause"  # ends the id of the cue after which a player stops
# At a scene's end nobody speaks for so long: a cut needs a breath.
# And after the question, so that a player that stops there does not show the answer already.
BREATH_MS = 800
SENTENCE_END = re.compile(r"(?<=[.!?]) ")
HINT = "rebuild it with `make facts`"


def clock(ms: int) -> str:
    """Write a time as a viewer reads it.

    >>> clock(72_000), clock(307_400)
    ('1:12', '5:07')
    """
    return f"{ms // 60_000}:{ms // 1000 % 60:02d}"


def timed(scene: Scene, number: int) -> list[dict[str, Any]]:
    """Time the cues of a scene (counted from 0): each gets the share of time that it has of words.

    A scene with too many words for its time, or too few, is refused.
    """
    start, end = (*STARTS, END)[number : number + 2]
    breaths = 1 + scene.text.count(PAUSE)
    available = 1000 * (end - start) - breaths * BREATH_MS
    words = scene.text.split()
    characters = cues.line_length(words)

    def allowed(length: int) -> bool:
        ms = available * length / characters
        return cues.LEAST_MS <= ms <= cues.MOST_MS

    broken = cues.break_words(words, allowed)
    read = [0, *accumulate(cue.length for cue in broken)]
    waits = accumulate((BREATH_MS * cue.waits for cue in broken), initial=1000 * start)
    times = [
        (now + available * before // read[-1], now + available * after // read[-1])
        for now, (before, after) in zip(waits, pairwise(read), strict=False)
    ]
    fit = (cue.readable(end - begin) for cue, (begin, end) in zip(broken, times, strict=True))
    if not broken or not all(fit):
        raise FactsError(
            f"{TEMPLATE}: scene {number + 1} ({marks.plain(scene.title)}): found {characters}"
            f" characters for {available / 1000:g} s, expected words that can be broken into cues"
            f" of {cues.LEAST_MS / 1000:g} to {cues.MOST_MS // 1000} s with at most"
            f" {cues.MOST_CHARACTERS_A_SECOND} characters a second; make the scene shorter or"
            " longer"
        )
    return [
        _cue(f"{number + 1}.{i}", cue, *time)
        for i, (cue, time) in enumerate(zip(broken, times, strict=True), 1)
    ]


def _cue(identifier: str, cue: cues.Cue, begin: int, end: int) -> dict[str, Any]:
    return {
        "id": identifier + (PAUSE_ID if cue.waits else ""),
        "start_ms": begin,
        "end_ms": end,
        "lines": [marks.plain(line) for line in cue.lines],
        "quotes": [
            {"claim": part.key, "form": part.form, "text": part.text}
            for line in cue.lines
            for part in marks.quoted(line)
        ],
    }


def runs(marked: str) -> list[dict[str, str]]:
    """Split marked text into plain parts and quoted ones.

    >>> runs("all " + marks.mark("model.heads", "word", "four") + " heads")
    [{'text': 'all '}, {'text': 'four', 'claim': 'model.heads', 'form': 'word'}, {'text': ' heads'}]
    """
    claims_only = marks.replaced_claims(marked, lambda part: marks.mark(*part))
    plain, *rest = marks.MARKED.split(claims_only)
    parts = [{"text": plain}]
    for key, form, text, after in zip(*[iter(rest)] * 4, strict=True):
        parts += [{"text": text, "claim": key, "form": form}, {"text": after}]
    return [part for part in parts if part["text"]]


def film(facts: dict[str, Any], sizes: Sizes) -> dict[str, Any]:
    """Build the whole timeline, held to its schema."""
    told = scenes(facts, sizes)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "sizes": sizes._asdict(),
        "duration_ms": 1000 * END,
        "scenes": [
            {
                "title": {"runs": runs(scene.title)},
                "start_ms": 1000 * STARTS[i],
                "paragraphs": [{"runs": runs(text.strip())} for text in scene.text.split(PAUSE)],
                "cues": timed(scene, i),
            }
            for i, scene in enumerate(told)
        ],
    }
    # The sentence before each pause asks, and the first claim quoted after it answers.
    shown = [cue for scene in document["scenes"] for cue in scene["cues"]]
    waits = [i for i, cue in enumerate(shown) if cue["id"].endswith(PAUSE_ID)]
    asked = [text for scene in told for text in scene.text.split(PAUSE)[:-1]]
    document["pauses"] = [
        {
            "asks": kind,
            "cue": shown[i]["id"],
            "at_ms": shown[i]["end_ms"],
            "question": {"runs": runs(SENTENCE_END.split(text)[-1])},
            "answer": next(quote for cue in shown[i + 1 :] for quote in cue["quotes"]),
        }
        for kind, i, text in zip(ASKED, waits, asked, strict=True)
    ]
    schema.validate(document, "film", "film.json", HINT)
    return document


def marked_words(words: dict[str, Any]) -> str:
    """Mark the quoted numbers of words of film.json again.

    >>> marks.plain(marked_words({"runs": [{"text": "all "}, {"text": "four", "claim": "a",
    ...     "form": "word"}]}))
    'all four'
    """
    return "".join(
        marks.mark(run["claim"], run["form"], run["text"])
        if "claim" in run
        else marks.name("film", run["text"])
        for run in words["runs"]
    )


def first_quotes(film: dict[str, Any]) -> list[dict[str, str]]:
    """List the runs that quote a claim for the first time."""
    found: dict[str, dict[str, str]] = {}
    for scene in film["scenes"]:
        for words in (scene["title"], *scene["paragraphs"]):
            for run in words["runs"]:
                found.setdefault(run.get("claim", ""), run)
    return [run for claim, run in found.items() if claim]


def marked_scenes(film: dict[str, Any]) -> list[dict[str, Any]]:
    """List each scene's title, the time at which it begins and its paragraphs, all marked."""
    return [
        {
            "title": marked_words(scene["title"]),
            "clock": marks.name("clock", clock(scene["start_ms"])),
            "paragraphs": [marked_words(words) for words in scene["paragraphs"]],
        }
        for scene in film["scenes"]
    ]
