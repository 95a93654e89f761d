"""index.html: the lesson's page, every number in it a link to its claim."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from fusedfacts.figures import gallery
from fusedfacts.lesson import report
from fusedfacts.lesson.film import first_quotes, marked_scenes, marked_words
from fusedfacts.prose import forms, marks, names, templates

TEMPLATE = "page.html.j2"
VIEW_BOX = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def _linked(part: marks.Quoted) -> str:
    """Write a quoted number as HTML. Its text was escaped when the template was rendered."""
    if not part.is_claim or part.form in forms.TEXTS:
        return part.text
    return f'<a class="n" href="#claim-{escape(part.key)}">{part.text}</a>'


def _picture_height(svg: str) -> int:
    """Compute the height of a picture that is 480 wide, so that nothing moves when it arrives."""
    found = VIEW_BOX.search(svg)
    width, height = (float(size) for size in found.groups()) if found else (1.0, 1.0)
    return round(480 * height / width)


def _claim(claims: forms.Claims, identifier: str) -> dict[str, str]:
    forms.quote(claims, identifier)  # names a claim that facts.json does not have
    claim = claims[identifier]
    return {
        "id": identifier,
        "kind": claim["class"],
        "unit": "" if claim["unit"] in ("1", "verdict") else marks.name("unit", claim["unit"]),
        "display": marks.mark(identifier, "statement", claim["display"]),
        **{
            key: marks.mark(identifier, "statement", claim[key])
            for key in ("statement", "computed_by", "checked_by", "does_not_prove")
        },
    }


def page(facts: dict[str, Any], film: dict[str, Any], template: str | None = None) -> str:
    """Write the whole page; a test brings a template of its own."""
    claims = forms.by_id(facts)
    captions = report.marked_captions(facts)
    in_captions = {
        part.key for text in captions.values() for part in marks.quoted(text) if part.is_claim
    }
    said = [run["claim"] for run in first_quotes(film)]
    in_order = [*said, *sorted(in_captions.difference(said))]
    marked = templates.render(
        templates.source(TEMPLATE) if template is None else template,
        TEMPLATE,
        claims,
        markup=True,
        title=marked_words(film["scenes"][0]["title"]),
        scenes=marked_scenes(film),
        # What can be chosen is no claim: a link has no place in an option.
        head_dims=[
            {"value": d, "label": marks.name("option", str(d))}
            for d in facts["contract"]["head_dims"]
        ],
        defaults={
            "n": film["sizes"]["words"],
            "d": film["sizes"]["narrow"],
            "seed": facts["settings"]["seed"],
        },
        pictures=[
            {
                "name": name,
                "title": names.only_names(picture.title, "pictures"),
                "height": _picture_height(picture.draw(facts)),
                "caption": captions[name],
            }
            for name, picture in gallery.GALLERY.items()
        ],
        quoted=[_claim(claims, identifier) for identifier in in_order],
        sources=names.sources(facts),
        left_out=names.left_out(facts),
    )
    return marks.replaced(marked, _linked)
