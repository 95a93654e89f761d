"""facts.json: all results, the claims that follow from them, their sources and their limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fusedfacts.claims import sources as prose
from fusedfacts.claims.claim import once
from fusedfacts.documents import schema
from fusedfacts.errors import FactsError
from fusedfacts.experiments import (
    accuracy_claims,
    bench_claims,
    fault_claims,
    formulas,
    limit_claims,
    small_claims,
    traffic_claims,
)

SCHEMA_VERSION = 1
# The section of facts.json that each claim follows from, and what makes claims of it.
MAKERS: dict[str, Callable[[Any], list[dict[str, Any]]]] = {
    "traffic": traffic_claims.claims,
    "model": accuracy_claims.model_claims,
    "online_softmax": accuracy_claims.one_pass_claims,
    "attention": accuracy_claims.attention_claims,
    "control": fault_claims.control_claims,
    "mutants": fault_claims.mutant_claims,
    "overflow": limit_claims.claims,
    "kernels": bench_claims.claims,
    "contract": small_claims.contract_claims,
    "worked": small_claims.worked_claims,
    "settings": small_claims.setting_claims,
}
MEND = "rebuild it with `make facts`"


def facts(
    inputs: dict[str, Any],
    settings: dict[str, Any],
    sections: dict[str, Any],
    sweep: list[dict[str, Any]],
    timings: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The whole document, validated against its schema.

    Parameters
    ----------
    inputs : dict
        {name: {"path", "sha256"}} of the model's files.
    settings : dict
        The part of the config that shapes the numbers.
    sections : dict
        Results by name: model, online_softmax, attention, control, mutants, overflow, kernels,
        contract, worked.
    sweep : list of dict
        One entry for each size.
    timings : dict, optional
        A device report, where the run was asked to time the kernels.
    """
    sizes = sorted(sweep, key=lambda size: (size["d"], size["n"]))
    document = {
        "schema_version": SCHEMA_VERSION,
        "inputs": inputs,
        "settings": settings,
        **sections,
        "traffic": sizes,
        "timings": timings,
        "sources": prose.sources(),
        "left_out": prose.left_out(),
    }
    document["claims"] = claims(document)
    validate(document, "facts.json")
    return document


def claims_of(section: str, results: Any) -> list[dict[str, Any]]:
    """Make the claims that follow from one section's results."""
    return MAKERS[section](results)


def claims(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Make all claims that follow from the document's sections, sorted by id, each once."""
    return once([claim for section in MAKERS for claim in claims_of(section, document[section])])


def section_of(document: dict[str, Any], identifier: str) -> str:
    """Find the section of the document that a claim follows from."""
    for section in MAKERS:
        if any(claim["id"] == identifier for claim in claims_of(section, document[section])):
            return section
    raise FactsError(
        f"claim: {identifier} follows from no section of the document, expected one; the document"
        " was edited, or is of another version: rebuild it with `make facts`"
    )


def formula(document: dict[str, Any], identifier: str) -> str:
    """Find the formula of a claim of the document."""
    section_of(document, identifier)
    return formulas.of(identifier)


def validate(document: Any, file: str) -> None:
    """Hold a document against the facts schema.

    Raises
    ------
    FactsError
        If it does not fit.
    """
    schema.validate(document, "facts", file, MEND)
    if document["timings"] is not None:
        schema.validate(document["timings"], "device", f"{file}: timings", MEND)
