"""index.html: the lesson's page, every number in it a link to its claim."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from fusedfacts.documents import repository
from fusedfacts.figures.gallery import GALLERY
from fusedfacts.lesson import report
from fusedfacts.lesson.film import clock, first_quotes, marked_scenes, marked_words
from fusedfacts.prose import forms, marks, names, templates

TEMPLATE = "page.html.j2"
PLAYED = ("data.js", "film/index.js")
IMPORT = re.compile(r'^(?:import|export) .*from "(\.[^"]+)"', re.MULTILINE)
HEIGHT = re.compile(r' height="(\d+)" role="img"')


def _linked(part: marks.Quoted) -> str:
    """Write a quoted number as HTML. Its text was escaped when the template was rendered."""
    if part.form in forms.TEXTS:
        return part.text
    return f'<a class="n" href="#claim-{escape(part.key)}">{part.text}</a>'


def _address(source: str) -> str:
    """Mark where a paper is read; this project has no address of its own."""
    scheme, found, number = source.partition("arXiv:")
    return marks.name("address", f"https://arxiv.org/abs/{number}") if found and not scheme else ""


def film_scripts() -> list[str]:
    """List the scripts that a film begins with: all that those import which Play loads."""
    folder = repository.ROOT / "workflow" / "page"
    found = {}
    waiting = [folder / "js" / name for name in PLAYED]
    while waiting:
        script = waiting.pop()
        if script not in found:
            found[script] = script.read_text(encoding="utf-8")
            waiting += [(script.parent / name).resolve() for name in IMPORT.findall(found[script])]
    return sorted(script.relative_to(folder).as_posix() for script in found)


def page(facts: dict[str, Any], film: dict[str, Any]) -> str:
    """Write the whole page."""
    claims = forms.by_id(facts)
    captions, sizes = report.marked_captions(facts), film["sizes"]
    in_captions = {part.key for text in captions.values() for part in marks.quoted(text)}
    in_film = [run["claim"] for run in first_quotes(film)]
    pictures = [
        {
            "name": name,
            "title": names.only_names(picture.TITLE, "pictures"),
            # So that nothing moves when the picture arrives.
            "height": HEIGHT.findall(picture.draw(facts))[0],
            "caption": captions[name],
        }
        for name, picture in GALLERY.items()
    ]
    marked = templates.render(
        TEMPLATE,
        claims,
        markup=True,
        title=marked_words(film["scenes"][0]["title"]),
        scenes=marked_scenes(film),
        film_scripts=[marks.name("script", script) for script in film_scripts()],
        length=marks.name("clock", clock(film["duration_ms"])),
        # What can be chosen is no claim: a link has no place in an option.
        head_dims=[
            {"value": d, "label": marks.name("option", str(d))}
            for d in facts["contract"]["head_dims"]
        ],
        defaults={"n": sizes["words"], "d": sizes["narrow"], "seed": facts["settings"]["seed"]},
        pictures=pictures,
        quoted=[
            report.shown(claims[identifier], unitless=("1", "verdict"))
            for identifier in (*in_film, *sorted(in_captions.difference(in_film)))
        ],
        sources=[
            {**shown, "href": _address(source["id"])}
            for shown, source in zip(names.sources(facts), facts["sources"], strict=True)
        ],
        left_out=names.left_out(facts),
    )
    return marks.replaced_claims(marked, _linked)
