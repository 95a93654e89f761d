"""What quotes the facts: rendered again from them, or held against the claims behind it.

Rendering refuses a number that no claim stands behind, so every numeral of captions, transcript,
pictures and page is its claim's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fusedfacts.audit.leaves import first_difference
from fusedfacts.audit.rules import FACTS, FOLDER, SHIPPED, Tally, check
from fusedfacts.audit.subject import RESTORE, Subject
from fusedfacts.documents import canonical_json, files
from fusedfacts.figures import gallery
from fusedfacts.lesson import captions, drawn, page, transcript
from fusedfacts.lesson import film as document
from fusedfacts.lesson.scenes import Sizes
from fusedfacts.prose import forms, spans

DOCUMENTS = ("README.md", "model/README.md", "kernels/README.md")


def rendered(facts: dict[str, Any], config: dict[str, Any]) -> dict[str, bytes]:
    """Render everything that follows from the facts alone, by published name."""
    texts = {
        f"pictures/{name}.svg": picture.draw(facts) for name, picture in gallery.GALLERY.items()
    }
    if config["film"]:
        sizes = Sizes(**{key: config[f"film_{key}"] for key in ("words", "wide", "narrow")})
        film = document.film(facts, sizes)
        texts["film.json"] = canonical_json.dumps(film)
        texts["drawn.json"] = canonical_json.dumps(drawn.drawn(facts, film))
        texts["captions.vtt"] = captions.webvtt(film)
        texts["transcript.md"] = transcript.transcript(facts, film)
        texts["index.html"] = page.page(facts, film)
    return {name: text.encode() for name, text in texts.items()}


@check("rendered", "film, its words, pictures and page against the facts", "files", FOLDER, FACTS)
def check_rendered(subject: Subject, tally: Tally) -> None:
    """Compare captions, transcript, film, pictures and page with those that the facts render to."""
    for name, expected in rendered(subject.facts, subject.config).items():
        where = subject.where(name)
        found = subject.content.get(name)
        if found is None:
            tally.fault(f"{where}: not found, expected what a run publishes; {RESTORE}")
        elif found != expected:
            tally.fault(f"{where}: {first_difference(found, expected, ('found', 'expected'))}")
        else:
            tally.checked += 1


def documents(root: Path) -> list[Path]:
    """List the documents whose numbers are quoted from claims."""
    found = (path for path in (root / "docs").rglob("*") if path.suffix.lower() == ".md")
    return [*(root / name for name in DOCUMENTS), *sorted(found)]


@check("documents", "numerals of README and docs against claims", "numerals", FACTS, SHIPPED)
def check_documents(subject: Subject, tally: Tally) -> None:
    """Require that no span of a document is stale and no number stands outside of one."""
    claims = forms.by_id(subject.facts)
    for path in documents(subject.root):
        name = path.relative_to(subject.root).as_posix()
        data = files.read_bytes(path, "restore it with `git checkout`")
        mend = f"run `git checkout {name}` with core.autocrlf false"
        tally.require(b"\r" not in data, f"{name}: found CRLF line ends, expected LF; {mend}")
        text = data.decode("utf-8")
        tally.checked += len(spans.SPAN.findall(text))
        for fault in (*spans.stale(text, claims, name), *spans.unbound(text, name)):
            tally.faults.append(f"{fault}; mend known spans with `make spans`")
