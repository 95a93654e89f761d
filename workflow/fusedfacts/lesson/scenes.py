"""The film's words, cut into scenes: titles, and words that remember what they quote.

When each scene begins is the film's plan; words are written to fit it, and a scene whose words do
not fit stops the build.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from fusedfacts.errors import FactsError
from fusedfacts.prose import forms, marks, outcomes, templates

TEMPLATE = "film.txt.j2"
STARTS = (0, 8, 32, 72, 120, 180, 198, 238, 281, 305)  # seconds
END = 323  # seconds
PAUSE = "\ue010"  # stands at the end of the word after which the film waits
# What the film asks where it waits, in order: how many times as much, which rows stay right, and
# from which score on fp16 ends.
ASKED = ("times", "rows", "score")


class Sizes(NamedTuple):
    """The sizes that the film speaks of: a sequence length and two head dimensions."""

    words: int
    wide: int
    narrow: int

    def suffixes(self) -> dict[str, str]:
        """Name the ends of claim ids at these sizes.

        >>> Sizes(4096, 64, 16).suffixes()["narrow"]
        'n4096.d16'
        """
        n, wide, narrow = f"n{self.words}", f"d{self.wide}", f"d{self.narrow}"
        at = {"wide": f"{n}.{wide}", "narrow": f"{n}.{narrow}"}
        return {"words": n, "wide_d": wide, "narrow_d": narrow, **at}


class Scene(NamedTuple):
    """A scene's title and its sentences, marked."""

    title: str
    text: str


def scenes(facts: dict[str, Any], sizes: Sizes) -> list[Scene]:
    """Render the film's scenes, every number quoted from the facts."""
    marked = templates.render(
        TEMPLATE,
        forms.by_id(facts),
        at=sizes.suffixes(),
        outcome=outcomes.of_film(facts, sizes.words, sizes.wide),
        heads=range(len(facts["control"]["heads"])),
        pause=PAUSE,
    )
    # A pause belongs to the word before it.
    parts = templates.sections(re.sub(rf"\s+{PAUSE}", PAUSE, marked))
    hint = f"correct workflow/templates/{TEMPLATE}"
    if len(parts) != len(STARTS):
        titles = ", ".join(marks.plain(title) for title in parts)
        raise FactsError(
            f"{TEMPLATE}: found {len(parts)} scenes ({titles}), expected {len(STARTS)}, one for"
            f" each of STARTS in lesson/scenes.py; {hint}"
        )
    waits = [
        f"scene {number} ({marks.plain(title)})"
        for number, (title, body) in enumerate(parts.items(), 1)
        for _ in range(body.count(PAUSE))
    ]
    if len(waits) != len(ASKED):
        where = ", ".join(waits) or "no scene"
        raise FactsError(
            f"{TEMPLATE}: found a pause in {where}, expected {len(ASKED)} pauses, one for each of"
            f" ASKED in lesson/scenes.py; {hint}"
        )
    return [Scene(title, " ".join(body.split())) for title, body in parts.items()]
