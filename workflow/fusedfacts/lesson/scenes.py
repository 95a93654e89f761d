"""The film's words, cut into scenes: titles, and words that remember what they quote.

When each scene begins is the film's plan; words are written to fit it, and a scene whose words do
not fit stops the build.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.prose import forms, marks, outcomes, templates

TEMPLATE = "film.txt.j2"
STARTS = (0, 8, 32, 72, 112, 172, 188, 225, 265, 290)  # seconds
END = 307  # seconds
PAUSE = "\ue010"  # stands at the end of the word after which the film waits


@dataclass(frozen=True)
class Sizes:
    """The sizes that the film speaks of: a sequence length and two head dimensions."""

    words: int
    wide: int
    narrow: int

    def places(self) -> dict[str, str]:
        """Name the ends of claim ids at these sizes.

        >>> Sizes(4096, 64, 16).places()["narrow"]
        'n4096.d16'
        """
        return {
            "words": f"n{self.words}",
            "wide_d": f"d{self.wide}",
            "narrow_d": f"d{self.narrow}",
            "wide": f"n{self.words}.d{self.wide}",
            "narrow": f"n{self.words}.d{self.narrow}",
        }


@dataclass(frozen=True)
class Scene:
    """A scene's title and its sentences, marked."""

    title: str
    text: str

    @property
    def words(self) -> list[str]:
        """Split the text into marked words."""
        return self.text.split()


def scenes(facts: dict[str, Any], sizes: Sizes, template: str | None = None) -> list[Scene]:
    """Render the film's scenes, every number quoted from the facts; a test brings a template."""
    text = templates.source(TEMPLATE) if template is None else template
    marked = templates.render(
        text,
        TEMPLATE,
        forms.by_id(facts),
        at=sizes.places(),
        outcome=outcomes.of_film(facts, sizes.words, sizes.wide),
        heads=range(len(facts["control"]["heads"])),
        pause=PAUSE,
    )
    # A pause belongs to the word before it.
    parts = templates.sections(re.sub(rf"\s+{PAUSE}", PAUSE, marked), TEMPLATE)
    found = [Scene(title, " ".join(body.split())) for title, body in parts.items()]
    hint = f"correct workflow/templates/{TEMPLATE}"
    if len(found) != len(STARTS):
        raise FactsError(
            f"{TEMPLATE}: found {len(found)} scenes, expected {len(STARTS)}, one for each"
            f" start of the timeline; {hint}"
        )
    if marked.count(PAUSE) != 1:
        raise FactsError(f"{TEMPLATE}: found {marked.count(PAUSE)} pauses, expected 1; {hint}")
    for scene in found:
        if PAUSE in scene.title or not scene.text.replace(PAUSE, "").strip():
            raise FactsError(
                f"{TEMPLATE}: the scene {marks.plain(scene.title).replace(PAUSE, '')!r} has no"
                f" words, or a pause in its title, expected words and a pause among them; {hint}"
            )
        _require_whole_marks(scene)
    return found


def _require_whole_marks(scene: Scene) -> None:
    for part in marks.quoted(scene.text):
        if part.text.split() != [part.text]:
            raise ClaimError(
                f"{TEMPLATE}: {marks.plain(scene.title)}: {part.key} shows {part.text!r},"
                " expected one word that a caption can keep together"
            )
