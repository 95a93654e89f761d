"""List every published claim: id, value, unit and class.

A pattern narrows the list: `fusedfacts claims 'traffic.fused.*'`, or a part of
an id. `fusedfacts claim ID` gives the statement of one, and all about it.
"""

from __future__ import annotations

import argparse
import fnmatch

from fusedfacts import terminal
from fusedfacts.cli import options
from fusedfacts.errors import FactsError
from fusedfacts.terminal import Answer, columns


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("pattern", nargs="?", default="*", help="a part of an id, or with * and ?")
    options.add_facts(parser)


def run(given: argparse.Namespace) -> Answer:
    """List."""
    pattern = given.pattern
    if not any(sign in pattern for sign in "*?["):
        pattern = f"*{pattern}*"
    found = [
        claim
        for claim in options.read_facts(given)["claims"]
        if fnmatch.fnmatchcase(claim["id"], pattern)
    ]
    if not found:
        raise FactsError(
            f"claims: found no id like {given.pattern!r}, expected some; see all with `fusedfacts"
            " claims`"
        )
    rows = [("id", "value", "unit", "class")]
    in_order = sorted(found, key=lambda claim: terminal.natural(claim["id"]))
    rows += [(c["id"], c["display"], c["unit"], c["class"]) for c in in_order]
    return Answer({"claims": found}, columns(rows, numbers=[1]))
