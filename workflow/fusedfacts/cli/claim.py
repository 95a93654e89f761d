"""All about one claim: value, formula, what it follows from and does not prove.

With --rerun the pipeline computes just the part that the claim follows from,
from nothing, in a folder of its own, and says whether the claim holds.
"""

from __future__ import annotations

import argparse
from typing import Any

from fusedfacts.audit import claim as lookup
from fusedfacts.cli import options
from fusedfacts.documents import repository
from fusedfacts.experiments import facts as assemble
from fusedfacts.terminal import Answer

KEYS = ("statement", "value", "unit", "class", "formula", "source", "checked_by", "does_not_prove")
WIDTH = 15


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", help="as `fusedfacts claims` lists it")
    options.add_facts(parser)
    parser.add_argument("--rerun", action="store_true", help="recompute it")
    options.add_build(parser)


def run(given: argparse.Namespace) -> Answer:
    """Look it up, and recompute it if asked to."""
    facts = lookup.read_facts(given.facts)
    claim = lookup.find(facts, given.id)
    inputs = lookup.inputs(facts, claim)
    code = lookup.code(repository.ROOT, claim["computed_by"])
    path, line = lookup.locate(claim["computed_by"])
    name = path.relative_to(repository.ROOT).as_posix()
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
    if given.rerun:
        rows += _rerun(given, facts, claim, document)
    lines = [claim["id"], *(f"{label:<{WIDTH}} {text}" for label, text in rows)]
    if not given.rerun:
        return Answer(document, lines)
    holds = document["rerun"]["holds"]
    verdict = f"{claim['id']} {'holds' if holds else 'does not hold'}"
    return Answer(document, [*lines, "", verdict], holds)


def _input(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['path']}, sha256 {value['sha256']}"
    return str(value)


def _rerun(
    given: argparse.Namespace,
    facts: dict[str, Any],
    claim: dict[str, Any],
    document: dict[str, Any],
) -> list[tuple[str, str]]:
    """Recompute the claim, note in the document what came of it, and give its rows."""
    from fusedfacts.pipeline import config as settings

    config, show = settings.read(repository.ROOT, given.configfile), options.show_progress
    cores, files = given.cores, given.configfile
    again = lookup.rerun(repository.ROOT, facts, claim, config, cores, files, show)
    value, faults = again.claim["value"], again.faults
    document["rerun"] = {"value": value, "holds": not faults, "faults": faults}
    return [("recomputed", again.claim["display"]), *(("", fault) for fault in faults)]
