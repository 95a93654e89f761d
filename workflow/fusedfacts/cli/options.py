"""Options that several subcommands take, and numbers checked before Python converts them."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusedfacts import errors
from fusedfacts.documents import repository
from fusedfacts.terminal import CLEARED

if TYPE_CHECKING:
    from fusedfacts.audit.build import Builder

DIGITS_MOST = 30  # far beyond any size; Python itself refuses to convert some thousands
SHOWN = 20  # characters of a wrong word that a message quotes


def whole(text: str) -> int:
    """Convert a whole number.

    >>> whole("-12")
    -12
    """
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise _wrong(text, "a whole number")
    digits = len(text.lstrip("+-"))
    if digits > DIGITS_MOST:
        raise argparse.ArgumentTypeError(
            f"found a number of {digits} digits, expected at most {DIGITS_MOST}"
        )
    return int(text)


def real(text: str) -> float:
    """Convert a decimal number; what it may be is for the library to say.

    >>> real("1e-3")
    0.001
    """
    try:
        return float(text)
    except ValueError:
        raise _wrong(text, "a number") from None


def _wrong(text: str, expected: str) -> argparse.ArgumentTypeError:
    found = errors.printable(text, SHOWN)
    return argparse.ArgumentTypeError(f"found '{found}', expected {expected}")


def add_causal(parser: argparse.ArgumentParser) -> None:
    """Add the mask."""
    words = "a query looks only at keys up to its own"
    parser.add_argument("--causal", action="store_true", help=words)


def add_facts(parser: argparse.ArgumentParser) -> None:
    """Add whose claims they are: those of another facts.json than the published one."""
    published: Any = {"type": Path, "default": repository.FACTS, "metavar": "FACTS.json"}
    words = "default: this repository's published one"
    parser.add_argument("--facts", **published, help=words)


def read_facts(given: argparse.Namespace) -> dict[str, Any]:
    """Read the facts that the option of `add_facts` names."""
    from fusedfacts.documents import schema  # the doctor answers where nothing is installed

    mend = "name another file, or rebuild it with `make facts`"
    return schema.read(given.facts, "facts", mend)


def add_build(parser: argparse.ArgumentParser) -> None:
    """Add how a fresh build is made: with which settings, on how many cores."""
    files: Any = {"action": "append", "default": [], "type": Path, "metavar": "FILE"}
    words = "settings that the facts were built with, over those of config.yaml"
    parser.add_argument("--configfile", **files, help=words)
    cores: Any = {"type": lambda text: max(1, whole(text)), "default": os.cpu_count() or 1}
    parser.add_argument("--cores", **cores, help="jobs at a time (default: all)")


def builder(given: argparse.Namespace) -> Builder:
    """Build as the options of `add_build` say."""
    from fusedfacts.audit.build import Builder  # the doctor answers where nothing is installed

    return Builder(repository.ROOT, given.cores, given.configfile, show_progress)


def show_progress(done: int, jobs: int, name: str) -> None:
    """Show how far a fresh build is: in a terminal on one line, elsewhere on a line a job."""
    moves = sys.stderr.isatty()
    start, end = (CLEARED, "\n" if done == jobs else "") if moves else ("", "\n")
    line = f"{start}building afresh: {done} of {jobs}, {name}"
    print(line, end=end, file=sys.stderr, flush=True)
