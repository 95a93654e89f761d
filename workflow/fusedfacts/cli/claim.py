"""All about one claim: value, formula, what it follows from and does not prove.

With --rerun the pipeline computes just the part that the claim follows from,
from nothing, in a folder of its own, and says whether the claim holds.
"""

from __future__ import annotations

import argparse
from typing import Any

from fusedfacts.audit import claim as one
from fusedfacts.cli.audit import build_arguments, progress
from fusedfacts.cli.claims import facts_argument
from fusedfacts.documents import repository
from fusedfacts.experiments import formulas
from fusedfacts.terminal import Answer

KEYS = ("statement", "value", "unit", "class", "formula", "source", "checked_by", "does_not_prove")
WIDTH = 15


def arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("id", help="as `fusedfacts claims` lists it")
    facts_argument(parser)
    parser.add_argument("--rerun", action="store_true", help="recompute it")
    build_arguments(parser)


def _line(label: str, text: Any) -> str:
    return f"{label.replace('_', ' '):<{WIDTH}} {text}"


def _input(path: str, value: Any) -> str:
    if isinstance(value, dict):
        return f"{path}: {value['path']}, sha256 {value['sha256']}"
    return f"{path}: {value}"


def run(options: argparse.Namespace) -> Answer:
    """Look it up, and recompute it if asked to."""
    facts = one.facts(options.facts)
    claim = one.find(facts, options.id)
    path, line = one.place(claim["computed_by"])
    inputs = one.inputs(facts, claim)
    code = one.code(repository.ROOT, claim["computed_by"])
    where = f"{path.relative_to(repository.ROOT).as_posix()}:{line}"
    formula = formulas.of(claim["id"])
    document: dict[str, Any] = {**claim, "inputs": inputs, "code": code, "defined_at": where}
    document["formula"] = formula
    shown = {**claim, "value": claim["display"], "formula": formula}
    lines = [claim["id"], *(_line(key, shown[key]) for key in KEYS)]
    lines += [_line("computed from", _input(*item)) for item in inputs.items()]
    name, rest = where.rpartition(":")[0], len(code) - 1
    lines.append(_line("computed by", f"{claim['computed_by']}, {where}"))
    lines.append(_line("", f"sha256 {code[name]}, and {rest} files that it imports (--json)"))
    if not options.rerun:
        return Answer(document, lines)

    from fusedfacts.audit import rerun
    from fusedfacts.pipeline import config as settings

    config = settings.read(repository.ROOT, options.configfile)
    cores = max(1, options.cores)
    again = rerun.rerun(repository.ROOT, facts, claim, config, cores, options.configfile, progress)
    document["rerun"] = {
        "value": again.claim["value"],
        "holds": not again.faults,
        "faults": again.faults,
    }
    lines.append(_line("recomputed", again.claim["display"]))
    lines += [_line("", fault) for fault in again.faults]
    lines += ["", f"{claim['id']} {'does not hold' if again.faults else 'holds'}"]
    return Answer(document, lines, not again.faults)
