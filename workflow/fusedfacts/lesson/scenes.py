"""The film's words, cut into scenes: titles, and words that remember what they quote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.lesson import timeline
from fusedfacts.prose import forms, marks, outcomes, templates
from fusedfacts.prose.sections import sections

TEMPLATE = "film.txt.j2"
PAUSE = "\ue010"  # stands at the end of the word after which the film waits


@dataclass(frozen=True)
class Sizes:
    """The sizes that the film speaks of.

    Attributes
    ----------
    words : int
        Sequence length.
    wide, narrow : int
        The larger and the smaller head dimension.
    """

    words: int
    wide: int
    narrow: int

    def places(self) -> dict[str, str]:
        """The ends of claim ids at these sizes.

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
        """The marked words."""
        return self.text.split()


def scenes(facts: dict[str, Any], sizes: Sizes, template: str | None = None) -> list[Scene]:
    """The film's scenes with every number quoted from the facts.

    Parameters
    ----------
    facts : dict
        facts.json.
    sizes : Sizes
    template : str, optional
        The template's text instead of the shipped one.

    Raises
    ------
    ClaimError
        If a number is not quoted, or a claim is missing.
    FactsError
        If the template has another number of scenes than the timeline, or not one pause.
    """
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
    found = [
        Scene(title, " ".join(body.split()))
        for title, body in sections(re.sub(rf"\s+{PAUSE}", PAUSE, marked), TEMPLATE).items()
    ]
    mend = f"correct workflow/templates/{TEMPLATE}"
    if len(found) != len(timeline.STARTS):
        raise FactsError(
            f"{TEMPLATE}: found {len(found)} scenes, expected {len(timeline.STARTS)}, one for each"
            f" start of the timeline; {mend}"
        )
    if marked.count(PAUSE) != 1:
        raise FactsError(f"{TEMPLATE}: found {marked.count(PAUSE)} pauses, expected 1; {mend}")
    for scene in found:
        if PAUSE in scene.title or not scene.text.replace(PAUSE, "").strip():
            raise FactsError(
                f"{TEMPLATE}: the scene {marks.plain(scene.title).replace(PAUSE, '')!r} has no"
                f" words, or a pause in its title, expected words and a pause among them; {mend}"
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
