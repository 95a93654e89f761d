"""Hold what is published against its sources, or against a fresh build.

--quick runs nothing: schema, ids, hashes of everything published and of
everything it came from, counts against the closed formula, every claim against
its section, every numeral of captions, transcript, pictures, page, README and
docs against its claim.

--full does all that and builds everything from nothing in a folder of its own.
What is published is read before; then exact values must be equal, bounded ones
equal to their declared rounding with the same verdict, observed ones are not
compared, and every file must be the same bytes. It writes results/audit.json
and results/audit.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fusedfacts.cli import options
from fusedfacts.documents import repository
from fusedfacts.errors import FactsError
from fusedfacts.terminal import Answer


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "facts",
        nargs="?",
        type=Path,
        metavar="FACTS.json",
        help="a facts.json, with all that was published beside it or alone (default: this"
        " repository's)",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="run nothing (the default)")
    mode.add_argument("--full", action="store_true", help="build everything afresh and compare")
    options.add_build(parser)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="where --full writes audit.json and audit.md (default: results/)",
    )


def run(given: argparse.Namespace) -> Answer:
    """Audit, and write down what --full found."""
    from fusedfacts.audit import report
    from fusedfacts.audit import run as auditing

    mode = "full" if given.full else "quick"
    output = given.output or repository.ROOT / "results"
    if given.full:
        if output.exists() and not output.is_dir():
            raise FactsError(f"{output}: found a file, expected a folder to write to; name another")
        print("building everything afresh, which takes a while", file=sys.stderr, flush=True)
    facts, show = given.facts or repository.FACTS, options.show_progress
    found = auditing.audit(repository.ROOT, facts, mode, given.cores, given.configfile, show)
    if given.full:
        auditing.write(found, output)
    return Answer(found, report.lines(found), found["holds"])
