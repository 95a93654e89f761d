"""What this machine has, what a clone will do, and what is in the way.

It tells what `make facts` and `make test` will do here. Each thing that is in
the way is one sentence with the command that mends it. It needs nothing
installed: in a fresh clone `PYTHONPATH=workflow python3 -m fusedfacts doctor`
answers as well. Exit code 0 when nothing is in the way, else 1.
"""

from __future__ import annotations

import argparse
from datetime import date

from fusedfacts.doctor import adapters, examination, folded, place, told
from fusedfacts.terminal import Answer


def arguments(parser: argparse.ArgumentParser) -> None:
    """It takes nothing."""


def run(options: argparse.Namespace) -> Answer:
    """Look, and tell."""
    here = place.here()
    listing = adapters.asked(adapters.command(here), here.root, here.environment)
    seen = examination.examined(here, date.today(), listing)
    return Answer(told.document(here, seen), _lines(here, seen), holds=not seen.findings)


def _lines(here: place.Place, seen: examination.Examination) -> list[str]:
    """The table, then what is in the way, as wide as the terminal."""
    columns = folded.width()
    table = told.lines(here, seen)
    labels = max(len(label) for label, _ in table)
    lines = [
        line
        for label, text in table
        for line in folded.folded(f"{label:{labels}}  ", text, columns)
    ]
    ways = [
        line for finding in seen.findings for line in folded.folded("- ", finding.sentence, columns)
    ]
    return [*lines, "", *(["in the way:", *ways] if ways else ["nothing is in the way"])]
