"""transcript.md: the film's words with every number in a span that names its claim."""

from __future__ import annotations

from typing import Any

from fusedfacts.lesson.said import claims_said, marked_words, scenes_said
from fusedfacts.prose import forms, marks, spans, templates
from fusedfacts.prose.carried import left_out, sources
from fusedfacts.prose.templates import carried

TEMPLATE = "transcript.md.j2"


def _listed(facts: dict[str, Any], run: dict[str, str]) -> dict[str, str]:
    claims, identifier = forms.by_id(facts), run["claim"]

    def of(form: str) -> str:
        return marks.mark(identifier, form, forms.quote(claims, identifier, form))

    return {
        "text": of(run["form"]),
        "claim": marks.name("id", identifier),
        "statement": of("statement"),
    }


def _ways(facts: dict[str, Any]) -> list[dict[str, str]]:
    """How attention was computed on each head, by the names that claims have for it."""
    return [
        {"key": key, "label": marks.name("way", f"`{key}`")}
        for key in facts["attention"]["heads"][0]
    ]


def _heads(facts: dict[str, Any]) -> list[dict[str, str]]:
    return [
        {
            "name": marks.name("head", f"`head{h}`"),
            "at": f"attention.head{h}",
            "control": f"control.head{h}",
        }
        for h in range(len(facts["attention"]["heads"]))
    ]


def _limits(facts: dict[str, Any], said: list[dict[str, str]]) -> list[str]:
    """What the claims that are said do not prove, each sentence once."""
    claims = forms.by_id(facts)
    sentences = dict.fromkeys(claims[run["claim"]]["does_not_prove"] for run in said)
    return [carried(sentence, "does_not_prove") for sentence in sentences]


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
    said = list(claims_said(film))
    marked = templates.render(
        templates.source(TEMPLATE) if template is None else template,
        TEMPLATE,
        forms.by_id(facts),
        title=marked_words(film["scenes"][0]["title"]),
        scenes=scenes_said(film),
        sources=sources(facts),
        left_out=left_out(facts),
        ways=_ways(facts),
        heads=_heads(facts),
        quotes=[_listed(facts, run) for run in said],
        limits=_limits(facts, said),
    )
    return spans.written(marked)
