"""transcript.md: the film's words with every number in a span that names its claim."""

from __future__ import annotations

from typing import Any

from fusedfacts.lesson.film import first_quotes, marked_scenes, marked_words
from fusedfacts.prose import forms, marks, names, spans, templates

TEMPLATE = "transcript.md.j2"


def _listed(claims: forms.Claims, run: dict[str, str]) -> dict[str, str]:
    """Describe a quoted run: what is said, its claim, and what that states."""
    identifier = run["claim"]

    def quoted(form: str) -> str:
        return marks.mark(identifier, form, forms.quote(claims, identifier, form))

    return {
        "text": quoted(run["form"]),
        "claim": marks.name("id", identifier),
        "statement": quoted("statement"),
    }


def transcript(facts: dict[str, Any], film: dict[str, Any], template: str | None = None) -> str:
    """Write the transcript as Markdown; a test brings a template of its own."""
    claims, quotes = forms.by_id(facts), list(first_quotes(film))
    limits = dict.fromkeys(claims[run["claim"]]["does_not_prove"] for run in quotes)
    heads = facts["attention"]["heads"]
    marked = templates.render(
        templates.source(TEMPLATE) if template is None else template,
        TEMPLATE,
        claims,
        title=marked_words(film["scenes"][0]["title"]),
        scenes=marked_scenes(film),
        sources=names.sources(facts),
        left_out=names.left_out(facts),
        ways=[{"key": key, "label": marks.name("way", f"`{key}`")} for key in heads[0]],
        heads=[
            {
                "name": marks.name("head", f"`head{h}`"),
                "at": f"attention.head{h}",
                "control": f"control.head{h}",
            }
            for h in range(len(heads))
        ],
        quotes=[_listed(claims, run) for run in quotes],
        limits=[names.only_names(sentence, "does_not_prove") for sentence in limits],
    )
    return spans.written(marked)
