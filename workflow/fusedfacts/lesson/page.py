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
SHARED = ("js/data.js", "js/dom.js", "js/plain.js")
HEIGHT = re.compile(r' height="(\d+)" role="img"')


def _linked(part: marks.Quoted) -> str:
    """Write a quoted number as HTML. Its text was escaped when the template was rendered."""
    if part.form in forms.TEXTS:
        return part.text
    return f'<a class="n" href="#claim-{escape(part.key)}">{part.text}</a>'


def film_scripts() -> list[str]:
    """List the scripts that the film runs by, with those of the page's own that they import."""
    folder = repository.ROOT / "workflow" / "page"
    scripts = [*sorted((folder / "js" / "film").rglob("*.js")), *(folder / name for name in SHARED)]
    return [script.relative_to(folder).as_posix() for script in scripts]


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
        sources=names.sources(facts),
        left_out=names.left_out(facts),
    )
    return marks.replaced_claims(marked, _linked)
