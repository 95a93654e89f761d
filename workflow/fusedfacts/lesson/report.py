"""The pages of Snakemake's report: what was run, captions, every fact, the case worked by hand."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from fusedfacts.errors import ClaimError
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
    "kernels": "The kernels",
    "tiles": "Tiles",
    "model": "The model",
    "worked": "The case worked by hand",
    "contract": "Constants of the arithmetic contract",
    "sizes": "Sizes of the sweep",
    "settings": "Settings",
}
CAPTIONS = "pictures.txt.j2"
OPEN_UP_TO = 30  # facts of a group that are shown without a click


def _spoken(facts: dict[str, Any]) -> dict[str, Any]:
    """Collect what the report's templates speak of besides claims."""
    sizes = facts["traffic"]
    return {
        "outcome": outcomes.of_facts(facts),
        "lengths": sorted({size["n"] for size in sizes}),
        "longest": max(size["n"] for size in sizes),
        "head_dims": sorted({size["d"] for size in sizes}),
    }


def _render(name: str, facts: dict[str, Any], markup: bool = False, **values: Any) -> str:
    if markup:
        values["style"] = marks.name("style", templates.source("report.css"))
    return templates.render(
        templates.source(name), name, forms.by_id(facts), markup=markup, **_spoken(facts), **values
    )


def marked_captions(facts: dict[str, Any]) -> dict[str, str]:
    """Render what stands beneath each picture, by its name, with quoted numbers marked."""
    return templates.sections(_render(CAPTIONS, facts), CAPTIONS)


def captions(facts: dict[str, Any]) -> dict[str, str]:
    """Render what stands beneath each picture, by its name."""
    return {name: marks.plain(text) for name, text in marked_captions(facts).items()}


def index(facts: dict[str, Any]) -> str:
    """Render the report's first page, as reStructuredText."""
    sources, left_out = names.sources(facts), names.left_out(facts)
    return marks.plain(_render("report.rst.j2", facts, sources=sources, left_out=left_out))


def _shown(claim: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": marks.name("id", claim["id"]),
        "kind": claim["class"],
        "unit": "" if claim["unit"] == "1" else marks.name("unit", claim["unit"]),
        **{
            key: marks.mark(claim["id"], form, claim[key])
            for key, form in (("statement", "statement"), ("display", ""))
        },
    }


def claims(facts: dict[str, Any]) -> str:
    """Render every fact with how it was computed and checked, as HTML."""
    unknown = {claim["id"].split(".")[0] for claim in facts["claims"]} - set(SUBJECTS)
    if unknown:
        raise ClaimError(
            f"claims: found the subject {min(unknown)}, expected one of {', '.join(SUBJECTS)}; give"
            " it a title in workflow/fusedfacts/lesson/report.py"
        )
    shared = ("computed_by", "checked_by", "does_not_prove")

    def key(claim: dict[str, Any]) -> tuple[str, ...]:
        return tuple(claim[name] for name in shared)

    told = []
    for subject, title in SUBJECTS.items():
        of_subject = [c for c in facts["claims"] if c["id"].split(".")[0] == subject]
        groups = []
        for common, members in groupby(sorted(of_subject, key=key), key):
            listed = [_shown(claim) for claim in members]
            words = {
                name: marks.name(name, text) for name, text in zip(shared, common, strict=True)
            }
            count = marks.name("count", str(len(listed)))
            groups.append(
                {**words, "claims": listed, "count": count, "short": len(listed) <= OPEN_UP_TO}
            )
        if groups:
            told.append({"title": title, "groups": groups})
    inputs = [
        {"path": marks.name("path", file["path"]), "hash": marks.name("hash", file["sha256"])}
        for _, file in sorted(facts["inputs"].items())
    ]
    return marks.plain(_render("claims.html.j2", facts, markup=True, sections=told, inputs=inputs))


def worked(facts: dict[str, Any]) -> str:
    """Render the case small enough to follow by hand, as HTML."""
    case = facts["worked"]
    steps = []
    for number, step in enumerate(case["steps"], 1):
        at = f"worked.tile{number}"
        steps.append(
            {
                "at": at,
                "number": marks.name("tile", str(number)),
                **{
                    kind: [f"{at}.{kind[:-1]}{j}" for j in range(1, len(step[kind]) + 1)]
                    for kind in ("scores", "weights")
                },
            }
        )
    values = [f"worked.value{i}" for i in range(1, len(case["values"]) + 1)]
    return marks.plain(_render("worked.html.j2", facts, markup=True, steps=steps, values=values))
