"""Show all about one claim: value, formula, inputs, what it does not prove.

With --rerun the part of the pipeline that the claim follows from is computed
again, from nothing, in a temporary folder, and the claim holds or does not;
--configfile and --cores are for that.
"""

from __future__ import annotations

import argparse
from typing import Any

from fusedfacts.audit import claim as lookup
from fusedfacts.cli import options
from fusedfacts.documents import repository
from fusedfacts.experiments import facts as assemble
from fusedfacts.numerics import subnormals
from fusedfacts.terminal import Answer

KEYS = ("statement", "value", "unit", "class", "formula", "source", "checked_by", "does_not_prove")
WIDTH = 15


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", help="id of the claim, as `fusedfacts claims` lists it")
    options.add_facts(parser)
    parser.add_argument("--rerun", action="store_true", help="compute it again, and compare")
    options.add_build(parser)


def run(given: argparse.Namespace) -> Answer:
    """Look it up, and recompute it if asked to."""
    if given.rerun:
        repository.require_clone("claim --rerun")
    facts = options.read_facts(given)
    claim = lookup.find(facts, given.id)
    inputs = lookup.inputs(facts, claim)
    code = lookup.code(claim["computed_by"])
    path, line = lookup.locate(claim["computed_by"])
    name = lookup.name_of(path)
    document: dict[str, Any] = {**claim, "inputs": inputs, "code": code}
    _, made = assemble.find(facts, claim["id"])
    document |= {"defined_at": f"{name}:{line}", "formula": made.formula}
    shown = {**document, "value": claim["display"]}
    rows = [
        *((key.replace("_", " "), shown[key]) for key in KEYS),
        *(("computed from", f"{key}: {_input(value)}") for key, value in inputs.items()),
        ("computed by", f"{claim['computed_by']}, {name}:{line}"),
        ("", f"sha256 {code[name]}, and {len(code) - 1} files that it imports (--json)"),
    ]
    verdict, holds = [], True
    if given.rerun:
        subnormals.require_kept()
        again, faults = lookup.rerun(facts, claim, options.builder(given))
        holds = not faults
        document["rerun"] = {"value": again["value"], "holds": holds, "faults": faults}
        rows += [("recomputed", again["display"]), *(("", fault) for fault in faults)]
        verdict = ["", f"{claim['id']} {'holds' if holds else 'does not hold'}"]
    lines = [claim["id"], *(f"{label:<{WIDTH}} {text}" for label, text in rows)]
    return Answer(document, lines + verdict, holds)


def _input(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['path']}, sha256 {value['sha256']}"
    return str(value)
