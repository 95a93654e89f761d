"""The pages of Snakemake's report: what was run, captions, every fact, the case worked by hand."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from fusedfacts.prose import forms, marks, names, outcomes, templates

# A claim's id begins with its subject; the report lists them in this order.
SUBJECTS = {
    "traffic": "Bytes moved",
    "operations": "Operations",
    "values": "Errors and bounds, at every size",
    "attention": "Errors and bounds, on the model's sentence",
    "online": "Online softmax",
    "control": "The broken control",
    "mutants": "Planted faults",
    "overflow": "What would overflow",
    "real": "Real kernels",
    "rules": "Rules against faults",
    "kernels": "The kernels",
    "tiles": "Tiles",
    "figure_two": "FlashAttention's second figure",
    "model": "The model",
    "heads": "Heads of your own",
    "worked": "The case worked by hand",
    "contract": "Constants of the arithmetic contract",
    "sizes": "Sizes of the sweep",
    "settings": "Settings",
}
CAPTIONS = "pictures.txt.j2"
OPEN_UP_TO = 30  # facts of a group that are shown without a click


def _render(name: str, facts: dict[str, Any], markup: bool = False, **values: Any) -> str:
    """Render a template that speaks of outcomes and sizes besides claims."""
    lengths, head_dims = (sorted({size[key] for size in facts["traffic"]}) for key in "nd")
    return templates.render(
        name,
        forms.by_id(facts),
        markup=markup,
        outcome=outcomes.of_facts(facts),
        lengths=lengths,
        longest=lengths[-1],
        head_dims=head_dims,
        style=marks.name("style", templates.source("report.css")),
        **values,
    )


def marked_captions(facts: dict[str, Any]) -> dict[str, str]:
    """Render what stands beneath each picture, by its name, with quoted numbers marked."""
    return templates.sections(_render(CAPTIONS, facts))


def captions(facts: dict[str, Any]) -> dict[str, str]:
    """Render what stands beneath each picture, by its name."""
    return {name: marks.plain(text) for name, text in marked_captions(facts).items()}


def index(facts: dict[str, Any]) -> str:
    """Render the report's first page, as reStructuredText."""
    sources, left_out = names.sources(facts), names.left_out(facts)
    return marks.plain(_render("report.rst.j2", facts, sources=sources, left_out=left_out))


def shown(claim: dict[str, Any], unitless: tuple[str, ...] = ("1",)) -> dict[str, str]:
    """Mark all about a claim as words of its own, which no page makes a link."""
    words = ("statement", "display", "computed_by", "checked_by", "does_not_prove")
    return {
        "id": marks.name("id", claim["id"]),
        "kind": claim["class"],
        "unit": "" if claim["unit"] in unitless else marks.name("unit", claim["unit"]),
        **{key: marks.mark(claim["id"], "statement", claim[key]) for key in words},
    }


def claims(facts: dict[str, Any]) -> str:
    """Render every fact with how it was computed and checked, as HTML."""
    titles = list(SUBJECTS)

    def subject(claim: dict[str, Any]) -> int:
        return titles.index(claim["id"].split(".")[0])

    def shared(claim: dict[str, Any]) -> tuple[str, ...]:
        return claim["computed_by"], claim["checked_by"], claim["does_not_prove"]

    sections = []
    for number, of_subject in groupby(sorted(facts["claims"], key=subject), subject):
        groups = []
        for _, members in groupby(sorted(of_subject, key=shared), shared):
            listed = [shown(claim) for claim in members]
            count, short = marks.name("count", str(len(listed))), len(listed) <= OPEN_UP_TO
            groups.append({**listed[0], "claims": listed, "count": count, "short": short})
        sections.append({"title": SUBJECTS[titles[number]], "groups": groups})
    inputs = [
        {"path": marks.name("path", file["path"]), "hash": marks.name("hash", file["sha256"])}
        for _, file in sorted(facts["inputs"].items())
    ]
    return marks.plain(
        _render("claims.html.j2", facts, markup=True, sections=sections, inputs=inputs)
    )


def worked(facts: dict[str, Any]) -> str:
    """Render the case small enough to follow by hand, as HTML."""
    case, steps = facts["worked"], []
    for number, step in enumerate(case["steps"], 1):
        at = f"worked.tile{number}"
        scores, weights = (
            [f"{at}.{kind}{j}" for j in range(1, len(step[f"{kind}s"]) + 1)]
            for kind in ("score", "weight")
        )
        tile = marks.name("tile", str(number))
        steps.append({"at": at, "number": tile, "scores": scores, "weights": weights})
    values = [f"worked.value{i}" for i in range(1, len(case["values"]) + 1)]
    return marks.plain(_render("worked.html.j2", facts, markup=True, steps=steps, values=values))
