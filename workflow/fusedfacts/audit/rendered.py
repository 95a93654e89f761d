"""What is told of the facts: rendered again from them, and compared byte for byte.

Rendering refuses a number that no claim stands behind, so every numeral of captions, transcript,
pictures and page is its claim's.
"""

from __future__ import annotations

from typing import Any

from fusedfacts.audit.differences import first_difference
from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import MEND, Subject
from fusedfacts.documents import canonical_json
from fusedfacts.figures import gallery
from fusedfacts.lesson import captions, page, transcript
from fusedfacts.lesson import film as document
from fusedfacts.lesson.scenes import Sizes


def rendered(facts: dict[str, Any], config: dict[str, Any]) -> dict[str, bytes]:
    """Everything that follows from the facts alone, by published name."""
    texts = {
        f"pictures/{name}.svg": picture.draw(facts) for name, picture in gallery.GALLERY.items()
    }
    if config["film"]:
        sizes = Sizes(**{key: config[f"film_{key}"] for key in ("words", "wide", "narrow")})
        film = document.film(facts, sizes)
        texts["film.json"] = canonical_json.dumps(film)
        texts["captions.vtt"] = captions.webvtt(film)
        texts["transcript.md"] = transcript.transcript(facts, film)
        texts["index.html"] = page.page(facts, film)
    return {name: text.encode() for name, text in texts.items()}


def told(subject: Subject, tally: Tally) -> None:
    """Captions, transcript, film, pictures and page say what the facts say."""
    for name, expected in rendered(subject.facts, subject.config).items():
        where = subject.where(name)
        if name not in subject.content:
            tally.hold(False, f"{where}: not found, expected what a run publishes; {MEND}")
        elif subject.content[name] != expected:
            parted = first_difference(
                subject.content[name].decode("utf-8", errors="replace"),
                expected.decode(),
                ("found", "expected"),
            )
            tally.hold(False, f"{where}: {parted}")
        else:
            tally.checked += 1
