"""facts.json: all results, the claims that follow from them, their sources and their limits."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims import sources
from fusedfacts.claims.claim import Claim, Section, in_order
from fusedfacts.documents import schema
from fusedfacts.errors import FactsError
from fusedfacts.experiments import (
    attention,
    contract,
    control,
    figure_two,
    heads,
    kernels,
    model,
    mutants,
    online_softmax,
    overflow,
    real,
    rules,
    sentence,
    settings,
    sweep,
    worked,
)

SCHEMA_VERSION = 1
# To add a section is to add its module here, and its shape to the schema.
SECTIONS: dict[str, Section] = {
    "traffic": sweep.SECTION,
    "model": model.SECTION,
    "online_softmax": online_softmax.SECTION,
    "attention": attention.SECTION,
    "control": control.SECTION,
    "mutants": mutants.SECTION,
    "overflow": overflow.SECTION,
    "kernels": kernels.SECTION,
    "contract": contract.SECTION,
    "worked": worked.SECTION,
    "figure_two": figure_two.SECTION,
    "real": real.SECTION,
    "rules": rules.SECTION,
    "sentence": sentence.SECTION,
    "settings": settings.SECTION,
    "heads": heads.SECTION,
}
# The sweep is cut into jobs, the model's files are read once for all, and settings are chosen; each
# other section is the one job of its module, which has its name.
WITH_A_JOB = [name for name in SECTIONS if name not in ("traffic", "model", "settings", "heads")]
HINT = "rebuild it with `make facts`"


def with_a_job(config: dict[str, Any]) -> list[str]:
    """Name the sections that a run computes in a job each; heads only where it is given some."""
    return [*WITH_A_JOB, "heads"] if config["heads"] else WITH_A_JOB


def sections_of(document: dict[str, Any]) -> dict[str, Section]:
    """Select the sections that a document has: all, but heads only where some were given."""
    return {name: one for name, one in SECTIONS.items() if name != "heads" or name in document}


def facts(
    inputs: dict[str, Any],
    chosen: dict[str, Any],
    sections: dict[str, Any],
    sweep: list[dict[str, Any]],
    timings: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Assemble the whole document and validate it against its schema.

    `inputs` has path and hash of each of the model's files, `chosen` the part of the config that
    shapes the numbers, `sections` the results of all but the sweep, which is a list of sizes.
    `timings` is a device report, where the run was asked to time the kernels.
    """
    sizes = sorted(sweep, key=lambda size: (size["d"], size["n"]))
    document = {
        "schema_version": SCHEMA_VERSION,
        "inputs": inputs,
        "settings": chosen,
        **sections,
        "traffic": sizes,
        "timings": timings,
        "sources": sources.SOURCES,
        "left_out": sources.LEFT_OUT,
    }
    document["claims"] = claims(document)
    validate(document, "facts.json")
    return document


def claims_of(section: str, results: Any) -> list[dict[str, Any]]:
    """Make the claims that follow from one section's results."""
    return in_order(SECTIONS[section].claims(results))


def claims(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Make all claims that follow from the document's sections, sorted by id, each once."""
    return in_order(
        [
            claim
            for name, section in sections_of(document).items()
            for claim in section.claims(document[name])
        ]
    )


def find(document: dict[str, Any], identifier: str) -> tuple[str, Claim]:
    """Find a claim of the document, and the section that it follows from."""
    for name, section in sections_of(document).items():
        for claim in section.claims(document[name]):
            if claim.id == identifier:
                return name, claim
    raise FactsError(
        f"claim: {identifier} follows from no section of the document, expected one; the document"
        " was edited, or is of another version: rebuild it with `make facts`"
    )


def validate(document: Any, file: str) -> None:
    """Validate a document against the facts schema."""
    schema.validate(document, "facts", file, HINT)
    if document["timings"] is not None:
        schema.validate(document["timings"], "device", f"{file}: timings", HINT)
