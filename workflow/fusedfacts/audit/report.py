"""What the audit found, as JSON and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fusedfacts import errors, terminal
from fusedfacts.audit.rules import Result

SHOWN = 5  # faults of one check that a table is followed by; --json lists all
ALWAYS = (
    "the kernels on a device: run `snakemake --cores 1 device`",
    "what is observed (times, adapters' names): it is never compared",
    "the training that made the weights: model/README.md says how to repeat it",
    "number words in README and docs/, and the numbers of CHANGELOG.md and CONTRIBUTING.md",
    "comments and prose in kernels, library, scripts, style and docs/: where all hashes agree, only"
    " the history shows an edit",
    "that the closed formula, the bound and the sources mean what they say: docs/ derives them",
)
QUICK = (
    "every value that must be computed (errors, bounds, controls): run `fusedfacts audit --full`"
)
# An auditor reports what differs; what mends it is the owner's to do, and is said once.
OWNER = (
    "if this repository is yours and the computed values are right, publish them with `make facts`"
    " and commit; if it is not, what differs is for its owner to explain"
)
AS_FAR = {"quick": ", as far as a quick audit sees", "full": ""}


def document(mode: str, name: str, results: Sequence[Result]) -> dict[str, Any]:
    """Put an audit of `name` into the form that `audit.schema.json` describes."""
    open_questions = [*_unmade(results), *([QUICK] if mode == "quick" else []), *ALWAYS]
    return {
        "mode": mode,
        "audited": errors.printable(name),
        "holds": all(result.verdict != "does not hold" for result in results),
        "checks": [{**asdict(result), "faults": list(result.faults)} for result in results],
        "not_verified": open_questions,
    }


def _unmade(results: Sequence[Result]) -> list[str]:
    """List the checks that were not made, by the reason why."""
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.verdict == "not verified":
            reasons.setdefault("; ".join(result.faults), []).append(result.name)
    return [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]


def _red(audit: dict[str, Any]) -> list[dict[str, Any]]:
    return [check for check in audit["checks"] if check["verdict"] == "does not hold"]


def conclusion(audit: dict[str, Any]) -> str:
    """Say whether it holds: the last line.

    >>> conclusion({"mode": "quick", "holds": True, "audited": "out", "checks": []})
    'out holds, as far as a quick audit sees'
    """
    if audit["holds"]:
        return f"{audit['audited']} holds{AS_FAR[audit['mode']]}"
    red = [check["name"] for check in _red(audit)]
    return f"{audit['audited']} does not hold: {', '.join(red)}"


def _counted(check: dict[str, Any]) -> str:
    if check["verdict"] == "not verified":
        return "-"
    noun = check["unit"].removesuffix("s")
    return terminal.counted(check["checked"], noun.replace("propertie", "property"))


def lines(audit: dict[str, Any]) -> list[str]:
    """Write an audit for a terminal."""
    rows = [("check", "checked", "verdict", "what was held against what")]
    rows += [(c["name"], _counted(c), c["verdict"], c["what"]) for c in audit["checks"]]
    found = terminal.columns(rows)
    for check in _red(audit):
        faults, more = check["faults"], len(check["faults"]) - SHOWN
        found += ["", f"{check['name']}: {check['verdict']}"]
        found += [f"  {fault}" for fault in faults[:SHOWN]]
        found += [f"  and {more:,} more (--json lists all)"] if more > 0 else []
    found += ["", "not verified", *(f"  {sentence}" for sentence in audit["not_verified"])]
    if audit["mode"] == "full" and not audit["holds"]:
        found += ["", *terminal.wrapped(OWNER)]
    return [*found, "", conclusion(audit)]
