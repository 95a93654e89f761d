"""film.json: the timeline that captions, transcript and page are written from, and its readers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from fusedfacts.documents import schema
from fusedfacts.errors import FactsError
from fusedfacts.lesson import cues
from fusedfacts.lesson.scenes import END, PAUSE, STARTS, TEMPLATE, Scene, Sizes, scenes
from fusedfacts.prose import marks

SCHEMA_VERSION = 1
PAUSE_ID = "-pause"  # ends the id of the cue after which a player stops
# At a scene's end nobody speaks for so long: a cut needs a breath.
# And after the question, so that a player that stops there does not show the answer already.
BREATH_MS = 800
HINT = "rebuild it with `make facts`"


def clock(ms: int) -> str:
    """Write a time as a viewer reads it.

    >>> clock(72_000), clock(307_400)
    ('1:12', '5:07')
    """
    return f"{ms // 60_000}:{ms // 1000 % 60:02d}"


def spoken_ms(number: int, waits: bool = False) -> int:
    """Compute how long the words of a scene may take (scenes count from 0), breaths left out."""
    ends = (*STARTS[1:], END)
    breaths = 2 if waits else 1
    return 1000 * (ends[number] - STARTS[number]) - breaths * BREATH_MS


def timed(scene: Scene, number: int) -> list[dict[str, Any]]:
    """Time the cues of a scene (counted from 0): each gets the share of time that it has of words.

    A scene with too many words for its time, or too few, is refused.
    """
    available = spoken_ms(number, waits=PAUSE in scene.text)
    characters = cues.line_length(scene.words)

    def allowed(length: int) -> bool:
        ms = available * length / characters
        return cues.LEAST_MS <= ms <= cues.MOST_MS

    broken = cues.break_words(scene.words, allowed)
    total = sum(cue.length for cue in broken)
    read = [0, *accumulate(cue.length for cue in broken)]
    found: list[dict[str, Any]] = []
    now = 1000 * STARTS[number]
    for i, cue in enumerate(broken):
        begin, end = (now + available * characters // total for characters in read[i : i + 2])
        if not cue.readable(end - begin):
            found = []
            break
        found.append(_cue(f"{number + 1}.{i + 1}", cue, begin, end))
        now += BREATH_MS * cue.waits
    if not found:
        raise FactsError(
            f"{TEMPLATE}: scene {number + 1} ({marks.plain(scene.title)}): found {characters}"
            f" characters for {available / 1000:g} s, expected words that can be broken into cues"
            f" of {cues.LEAST_MS // 1000} to {cues.MOST_MS // 1000} s with at most"
            f" {cues.MOST_CHARACTERS_A_SECOND} characters a second; make the scene shorter or"
            " longer"
        )
    return found


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
            if part.is_claim
        ],
    }


def runs(marked: str) -> list[dict[str, str]]:
    """Split marked text into plain parts and quoted ones.

    >>> runs("all " + marks.mark("model.heads", "word", "four") + " heads")
    [{'text': 'all '}, {'text': 'four', 'claim': 'model.heads', 'form': 'word'}, {'text': ' heads'}]
    """
    parts: list[dict[str, str]] = []

    def add(text: str, **quote: str) -> None:
        if text and not quote and parts and "claim" not in parts[-1]:
            parts[-1]["text"] += text
        elif text:
            parts.append({"text": text, **quote})

    end = 0
    for found in marks.MARKED.finditer(marked):
        quoted = marks.Quoted(*found.groups())
        add(marked[end : found.start()])
        if quoted.is_claim:
            add(quoted.text, claim=quoted.key, form=quoted.form)
        else:
            add(quoted.text)
        end = found.end()
    add(marked[end:])
    return parts


def film(facts: dict[str, Any], sizes: Sizes, template: str | None = None) -> dict[str, Any]:
    """Build the whole timeline, held to its schema; a test brings a template of its own."""
    found = scenes(facts, sizes, template)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "sizes": {"words": sizes.words, "wide": sizes.wide, "narrow": sizes.narrow},
        "duration_ms": 1000 * END,
        "scenes": [
            {
                "title": {"runs": runs(scene.title)},
                "start_ms": 1000 * STARTS[i],
                "paragraphs": [{"runs": runs(text.strip())} for text in scene.text.split(PAUSE)],
                "cues": timed(scene, i),
            }
            for i, scene in enumerate(found)
        ],
    }
    document["pause"] = _pause(document["scenes"])
    schema.validate(document, "film", "film.json", HINT)
    return document


def _pause(scenes: list[dict[str, Any]]) -> dict[str, Any]:
    """Find where the film waits, and its question's answer: the first claim quoted after it."""
    shown = [cue for scene in scenes for cue in scene["cues"]]
    waits = next(i for i, cue in enumerate(shown) if cue["id"].endswith(PAUSE_ID))
    answer = next((quote for cue in shown[waits + 1 :] for quote in cue["quotes"]), None)
    if answer is None:
        raise FactsError(
            f"{TEMPLATE}: nothing is quoted after the pause, expected the claim that answers the"
            f" question; correct workflow/templates/{TEMPLATE}"
        )
    return {"cue": shown[waits]["id"], "at_ms": shown[waits]["end_ms"], "answer": answer}


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


def first_quotes(film: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Iterate over the runs that quote a claim for the first time."""
    quoted = set()
    for scene in film["scenes"]:
        for words in (scene["title"], *scene["paragraphs"]):
            for run in words["runs"]:
                if "claim" in run and run["claim"] not in quoted:
                    quoted.add(run["claim"])
                    yield run


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
