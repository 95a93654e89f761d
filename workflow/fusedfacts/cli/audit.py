"""Compare what is published with its sources, or with a fresh computation.

--quick computes nothing anew and takes seconds. It checks facts.json against
its schema, hashes of everything published and of everything that it came from,
counts against the formulas, every claim against the results that it is made
from, and every number in captions, transcript, pictures, page, README and docs
against its claim.

--full does all that, then builds everything from nothing in a temporary folder,
which takes minutes. Exact values must be equal, bounded ones equal as they are
rounded; observed ones (times) are not compared; every file must be the same
bytes. It writes results/audit.json and results/audit.txt.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from fusedfacts.cli import options
from fusedfacts.documents import repository
from fusedfacts.terminal import Answer


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    optional: Any = {"nargs": "?", "type": Path, "default": repository.FACTS}
    words = "facts.json to audit, alone or with all that was published beside it; by default"
    words += " the one that this repository publishes"
    parser.add_argument("facts", **optional, metavar="FACTS.json", help=words)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="compute nothing anew (the default)")
    mode.add_argument("--full", action="store_true", help="build everything anew, too, and compare")
    options.add_build(parser)


def run(given: argparse.Namespace) -> Answer:
    """Audit, and write down what --full found."""
    repository.require_clone("audit")
    from fusedfacts.audit import report
    from fusedfacts.audit import run as auditing
    from fusedfacts.numerics import subnormals

    subnormals.require_kept()
    mode = "full" if given.full else "quick"
    if given.full:
        print("building everything afresh, which takes a while", file=sys.stderr, flush=True)
    found = auditing.audit(options.builder(given), given.facts, mode)
    if given.full:
        auditing.write(found, repository.ROOT / "results")
    return Answer(found, report.lines(found), found["holds"])
