"""Hold what is published against its sources, or against a fresh build.

--quick runs nothing: schema, ids, hashes of everything published and of
everything it came from, counts against the closed formula, every claim against
its section, every numeral of captions, transcript, pictures, page, README and
docs against its claim.

--full does all that and builds everything from nothing in a folder of its own.
What is published is read before; then exact values must be equal, bounded ones
equal to their declared rounding with the same verdict, observed ones are not
compared, and every file must be the same bytes. It writes results/audit.json
and results/audit.txt.
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
    words = "a facts.json, with all that was published beside it or alone"
    words += " (default: this repository's)"
    parser.add_argument("facts", **optional, metavar="FACTS.json", help=words)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="run nothing (the default)")
    mode.add_argument("--full", action="store_true", help="build everything afresh and compare")
    options.add_build(parser)


def run(given: argparse.Namespace) -> Answer:
    """Audit, and write down what --full found."""
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
