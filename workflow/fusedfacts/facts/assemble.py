"""facts.json: all results, the claims that follow from them, their sources and their limits."""

from __future__ import annotations

from typing import Any

from fusedfacts import schema
from fusedfacts.facts import accuracy, benches, faults, limits, prose, small, traffic
from fusedfacts.facts.claim import once

SCHEMA_VERSION = 1
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
    claims = [
        *traffic.claims(sizes),
        *accuracy.model_claims(sections["model"]),
        *accuracy.one_pass_claims(sections["online_softmax"]),
        *accuracy.attention_claims(sections["attention"]),
        *faults.control_claims(sections["control"]),
        *faults.mutant_claims(sections["mutants"]),
        *limits.claims(sections["overflow"]),
        *benches.claims(sections["kernels"]),
        *small.contract_claims(sections["contract"]),
        *small.worked_claims(sections["worked"]),
        *small.setting_claims(settings),
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "inputs": inputs,
        "settings": settings,
        **sections,
        "traffic": sizes,
        "timings": timings,
        "claims": once(claims),
        "sources": prose.sources(),
        "left_out": prose.left_out(),
    }
    validate(document, "facts.json")
    return document


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
