"""captions.vtt: the film's cues as WebVTT, which any player reads."""

from __future__ import annotations

from html import escape
from typing import Any

# Players ignore notes; people and our own page read them.
NOTES = (
    "Stop after the cue whose identifier ends in -pause, until the viewer has answered.",
    "Every number is quoted from a claim of facts.json; film.json beside this file says which.",
)


def timestamp(ms: int) -> str:
    """Write a time as WebVTT does.

    >>> timestamp(307_050)
    '00:05:07.050'
    """
    seconds, ms = divmod(ms, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{ms:03d}"


def webvtt(film: dict[str, Any]) -> str:
    """Write the captions of film.json."""
    title = "".join(run["text"] for run in film["scenes"][0]["title"]["runs"])
    blocks = [f"WEBVTT - {escape(title, quote=False)}", *(f"NOTE {note}" for note in NOTES)]
    for scene in film["scenes"]:
        for cue in scene["cues"]:
            times = f"{timestamp(cue['start_ms'])} --> {timestamp(cue['end_ms'])}"
            lines = (escape(line, quote=False) for line in cue["lines"])
            blocks.append("\n".join([cue["id"], times, *lines]))
    return "\n\n".join(blocks) + "\n"
