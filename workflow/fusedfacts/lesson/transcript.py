"""transcript.md: the film's words with every number in a span that names its claim."""

from __future__ import annotations

from typing import Any

from fusedfacts.lesson.film import first_quotes, marked_scenes, marked_words
from fusedfacts.prose import forms, marks, names, spans, templates

TEMPLATE = "transcript.md.j2"


def transcript(facts: dict[str, Any], film: dict[str, Any]) -> str:
    """Write the transcript as Markdown."""
    claims, quotes = forms.by_id(facts), []
    for run in first_quotes(film):
        claim, form, text = run["claim"], run["form"], run["text"]
        statement = marks.mark(claim, "statement", claims[claim]["statement"])
        shown = {"text": marks.mark(claim, form, text), "claim": marks.name("id", claim)}
        quotes.append({**shown, "statement": statement})
    limits = dict.fromkeys(claims[run["claim"]]["does_not_prove"] for run in first_quotes(film))
    heads = facts["attention"]["heads"]
    about_heads = [
        {"name": marks.name("head", f"`{h}`"), "at": f"attention.{h}", "control": f"control.{h}"}
        for h in (f"head{i}" for i in range(len(heads)))
    ]
    marked = templates.render(
        TEMPLATE,
        claims,
        title=marked_words(film["scenes"][0]["title"]),
        scenes=marked_scenes(film),
        sources=names.sources(facts),
        left_out=names.left_out(facts),
        methods=[{"key": key, "label": marks.name("method", f"`{key}`")} for key in heads[0]],
        heads=about_heads,
        quotes=quotes,
        limits=[names.only_names(sentence, "does_not_prove") for sentence in limits],
    )
    return spans.written(marked)
