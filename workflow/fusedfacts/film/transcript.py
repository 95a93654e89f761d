"""transcript.md: the film's words with every number in a span that names its claim."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fusedfacts.facts.claim import PROJECT
from fusedfacts.film.timeline import clock
from fusedfacts.quoting import forms, marks, spans, templates

TEMPLATE = "transcript.md.j2"


def _marked(words: dict[str, Any]) -> str:
    return "".join(
        marks.mark(run["claim"], run["form"], run["text"])
        if "claim" in run
        else marks.name("film", run["text"])
        for run in words["runs"]
    )


def _quoted(film: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Each claim once, where it is first said."""
    said = set()
    for scene in film["scenes"]:
        for words in (scene["title"], *scene["paragraphs"]):
            for run in words["runs"]:
                if "claim" in run and run["claim"] not in said:
                    said.add(run["claim"])
                    yield run


def _listed(facts: dict[str, Any], run: dict[str, str]) -> dict[str, str]:
    claims, identifier = forms.by_id(facts), run["claim"]

    def of(form: str) -> str:
        return marks.mark(identifier, form, forms.quote(claims, identifier, form))

    return {
        "text": of(run["form"]),
        "claim": marks.name("id", identifier),
        "statement": of("statement"),
        "does_not_prove": of("does_not_prove"),
    }


def transcript(facts: dict[str, Any], film: dict[str, Any], template: str | None = None) -> str:
    """The transcript as Markdown.

    Parameters
    ----------
    facts, film : dict
        facts.json and film.json.
    template : str, optional
        Another template's text, for tests.

    Raises
    ------
    ClaimError
        If a number is not quoted, or a claim is missing.
    """
    marked = templates.render(
        templates.source(TEMPLATE) if template is None else template,
        TEMPLATE,
        forms.by_id(facts),
        title=_marked(film["scenes"][0]["title"]),
        scenes=[
            {
                "title": _marked(scene["title"]),
                "clock": marks.name("clock", clock(scene["start_ms"])),
                "paragraphs": [_marked(words) for words in scene["paragraphs"]],
            }
            for scene in film["scenes"]
        ],
        sources=[
            {
                **{
                    key: templates.carried(source[key], f"sources: {source['id']}")
                    for key in ("title", "used_for", "does_not_prove")
                },
                "address": ""
                if source["id"] == PROJECT
                else templates.carried(f" ({source['id']})", "sources"),
            }
            for source in facts["sources"]
        ],
        left_out=[templates.carried(sentence, "left_out") for sentence in facts["left_out"]],
        quotes=[_listed(facts, run) for run in _quoted(film)],
    )
    return spans.written(marked)
