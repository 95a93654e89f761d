"""film.json: the timeline that captions, transcript and page are written from."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from fusedfacts.documents import schema
from fusedfacts.errors import FactsError
from fusedfacts.lesson import cues as phrases
from fusedfacts.lesson import timeline
from fusedfacts.lesson.scenes import PAUSE, TEMPLATE, Scene, Sizes, scenes
from fusedfacts.prose import marks

SCHEMA_VERSION = 1
PAUSE_ID = "-pause"  # ends the id of the cue after which a player stops
MEND = "rebuild it with `make facts`"


def spoken_ms(number: int, waits: bool = False) -> int:
    """How long the words of a scene may take (scenes count from 0), breaths left out."""
    ends = (*timeline.STARTS[1:], timeline.END)
    breaths = 2 if waits else 1
    return 1000 * (ends[number] - timeline.STARTS[number]) - breaths * timeline.BREATH_MS


def timed(scene: Scene, number: int) -> list[dict[str, Any]]:
    """The cues of a scene (counted from 0): each gets the share of time that it has of characters.

    Raises
    ------
    FactsError
        If the scene has too many words for its time, or too few.
    """
    available = spoken_ms(number, waits=PAUSE in scene.text)
    characters = phrases.seen(scene.words)

    def allowed(length: int) -> bool:
        ms = available * length / characters
        return timeline.LEAST_MS <= ms <= timeline.MOST_MS

    cues = phrases.cues(scene.words, allowed)
    total = sum(cue.length for cue in cues)
    read = [0, *accumulate(cue.length for cue in cues)]
    found: list[dict[str, Any]] = []
    clock = 1000 * timeline.STARTS[number]
    for i, cue in enumerate(cues):
        begin, end = (clock + available * characters // total for characters in read[i : i + 2])
        if not _readable(cue, end - begin):
            found = []
            break
        found.append(_cue(f"{number + 1}.{i + 1}", cue, begin, end))
        clock += timeline.BREATH_MS * cue.waits
    if not found:
        raise FactsError(
            f"{TEMPLATE}: scene {number + 1} ({marks.plain(scene.title)}): found {characters}"
            f" characters for {available / 1000:g} s, expected words that can be broken into cues"
            f" of {timeline.LEAST_MS // 1000} to {timeline.MOST_MS // 1000} s with at most"
            f" {timeline.MOST_CHARACTERS_A_SECOND} characters a second; make the scene shorter or"
            " longer"
        )
    return found


def _readable(cue: phrases.Cue, ms: int) -> bool:
    """Whether a viewer has time for a cue, whatever the rounding to milliseconds did."""
    within = timeline.LEAST_MS <= ms <= timeline.MOST_MS
    return within and 1000 * cue.length <= timeline.MOST_CHARACTERS_A_SECOND * ms


def _cue(identifier: str, cue: phrases.Cue, begin: int, end: int) -> dict[str, Any]:
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
    """Marked text as a list of plain parts and quoted ones.

    >>> runs("all " + marks.mark("model.heads", "word", "four") + " heads")
    [{'text': 'all '}, {'text': 'four', 'claim': 'model.heads', 'form': 'word'}, {'text': ' heads'}]
    """
    parts: list[dict[str, str]] = []
    end = 0
    for found in marks.MARKED.finditer(marked):
        quoted = marks.Quoted(*found.groups())
        parts.append({"text": marked[end : found.start()]})
        if quoted.is_claim:
            parts.append({"text": quoted.text, "claim": quoted.key, "form": quoted.form})
        else:
            parts.append({"text": quoted.text})
        end = found.end()
    parts.append({"text": marked[end:]})
    joined: list[dict[str, str]] = []
    for part in parts:
        if joined and "claim" not in part and "claim" not in joined[-1]:
            joined[-1]["text"] += part["text"]
        else:
            joined.append(part)
    return [part for part in joined if part["text"]]


def film(facts: dict[str, Any], sizes: Sizes, template: str | None = None) -> dict[str, Any]:
    """The whole timeline, validated against its schema.

    Parameters
    ----------
    facts : dict
        facts.json.
    sizes : Sizes
        What the film speaks of; the sweep must hold it.
    template : str, optional
        Another template's text, for tests.

    Raises
    ------
    ClaimError
        If a number is not quoted from a claim.
    FactsError
        If words do not fit their time.
    """
    found = scenes(facts, sizes, template)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "sizes": {"words": sizes.words, "wide": sizes.wide, "narrow": sizes.narrow},
        "duration_ms": 1000 * timeline.END,
        "scenes": [
            {
                "title": {"runs": runs(scene.title)},
                "start_ms": 1000 * timeline.STARTS[i],
                "paragraphs": [{"runs": runs(text.strip())} for text in scene.text.split(PAUSE)],
                "cues": timed(scene, i),
            }
            for i, scene in enumerate(found)
        ],
    }
    document["pause"] = _pause(document["scenes"])
    schema.validate(document, "film", "film.json", MEND)
    return document


def _pause(scenes: list[dict[str, Any]]) -> dict[str, Any]:
    """Where the film waits, and the claim that answers its question: the first quoted after it."""
    cues = [cue for scene in scenes for cue in scene["cues"]]
    waits = next(i for i, cue in enumerate(cues) if cue["id"].endswith(PAUSE_ID))
    answer = next((quote for cue in cues[waits + 1 :] for quote in cue["quotes"]), None)
    if answer is None:
        raise FactsError(
            f"{TEMPLATE}: nothing is quoted after the pause, expected the claim that answers the"
            f" question; correct workflow/templates/{TEMPLATE}"
        )
    return {"cue": cues[waits]["id"], "at_ms": cues[waits]["end_ms"], "answer": answer}
