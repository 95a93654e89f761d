"""facts.json: all results, the claims that follow from them, their sources and their limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fusedfacts.claims import sources as prose
from fusedfacts.claims.claim import once
from fusedfacts.documents import schema
from fusedfacts.experiments import (
    accuracy_claims,
    bench_claims,
    fault_claims,
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


def by_section(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The claims that each section of the document makes.

    Parameters
    ----------
    document : dict
        facts.json, or what it will be; only the sections are read.
    """
    return {section: make(document[section]) for section, make in MAKERS.items()}


def claims(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All claims that follow from the document's sections, sorted by id.

    Raises
    ------
    ClaimError
        If two share an id.
    """
    return once([claim for found in by_section(document).values() for claim in found])


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
