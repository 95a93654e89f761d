"""What film.json says, for those who write it down: its words marked again, its claims in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fusedfacts.lesson.timeline import clock
from fusedfacts.prose import marks


def marked_words(words: dict[str, Any]) -> str:
    """Words of film.json with their quoted numbers marked.

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


def claims_said(film: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Each quoted run whose claim was not said before."""
    said = set()
    for scene in film["scenes"]:
        for words in (scene["title"], *scene["paragraphs"]):
            for run in words["runs"]:
                if "claim" in run and run["claim"] not in said:
                    said.add(run["claim"])
                    yield run


def scenes_said(film: dict[str, Any]) -> list[dict[str, Any]]:
    """Each scene's title, the time at which it begins and its paragraphs, all marked."""
    return [
        {
            "title": marked_words(scene["title"]),
            "clock": marks.name("clock", clock(scene["start_ms"])),
            "paragraphs": [marked_words(words) for words in scene["paragraphs"]],
        }
        for scene in film["scenes"]
    ]
