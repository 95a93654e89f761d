"""Options that several subcommands take, and numbers checked before Python converts them."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusedfacts import errors
from fusedfacts.documents import repository
from fusedfacts.errors import FactsError
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


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Convert a name that must be one of several; of another it is guessed which was meant."""

    def convert(text: str) -> str:
        if text not in names:
            raise _wrong(text, f"{' or '.join(names)}{errors.guessed(text, names)}")
        return text

    return convert


def require_known(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Refuse an option that the parser does not have, before it misses what was meant."""
    known = parser._option_string_actions
    listed = [
        name
        for name, action in known.items()
        if name.startswith("--") and action.help != argparse.SUPPRESS
    ]
    for word in words:
        name = word.partition("=")[0]
        if word == "--":
            return
        if re.fullmatch("--.+|-[A-Za-z]+", name) and name not in known:
            raise FactsError(
                f"{parser.prog}: found the option '{errors.printable(name, SHOWN)}'"
                f"{errors.guessed(name, listed)}, expected one of {', '.join(listed)}; see"
                f" `{parser.prog} --help`"
            )


def joined(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """Join an option that may stand alone with the word that it takes, and with no other.

    argparse would give it the file that follows. And it takes numbers for options that begin as
    these do and hold a comma.
    """
    found: list[str] = []
    for word in words:
        at = found[-1] if found and "--" not in found else ""
        before = parser._option_string_actions.get(at) if at.startswith("--") else None
        if before is not None and before.nargs is None and re.match("-[0-9]", word):
            found[-1] += f"={word}"
        elif before is None or before.nargs != "?":
            found.append(word)
        elif word in (before.choices or ()):
            found[-1] += f"={word}"
        elif (guess := errors.guessed(word, before.choices or ())) and not Path(word).exists():
            raise FactsError(
                f"{parser.prog}: found '{errors.printable(word, SHOWN)}' after {found[-1]}{guess},"
                f" expected {' or '.join(before.choices or ())}, or a file that is there; see"
                f" `{parser.prog} --help`"
            )
        else:
            found[-1:] = [f"{found[-1]}={before.const}", word]
    return found


def add_method(parser: argparse.ArgumentParser, default: str | None, words: str) -> None:
    """Add which method is meant: one of those with a closed form of their own."""
    from fusedfacts.attention import traffic  # the doctor answers where nothing is installed

    names = list(traffic.ELEMENTS)
    asked: Any = {"type": one_of(names), "choices": names, "default": default}
    parser.add_argument("--method", **asked, help=words)
    # What it was called before.
    asked = {**asked, "default": argparse.SUPPRESS, "dest": "method", "help": argparse.SUPPRESS}
    parser.add_argument("--kernel", **asked)


def add_causal(parser: argparse.ArgumentParser) -> None:
    """Add the mask."""
    words = "causal mask: a query looks only at keys up to its own position"
    parser.add_argument("--causal", action="store_true", help=words)


def add_facts(parser: argparse.ArgumentParser) -> None:
    """Add whose claims they are: those of another facts.json than the published one."""
    published: Any = {"type": Path, "default": repository.FACTS, "metavar": "FACTS.json"}
    words = "read these facts instead of the ones that this repository publishes"
    parser.add_argument("--facts", **published, help=words)


def read_facts(given: argparse.Namespace) -> dict[str, Any]:
    """Read the facts that the option of `add_facts` names."""
    from fusedfacts.documents import schema  # the doctor answers where nothing is installed

    clone = None if repository.IS_CLONE else repository.clone_around(Path.cwd())
    if clone and given.facts == repository.FACTS:
        raise FactsError(
            f"{clone}: found the command of an installed package, which has facts of its own,"
            f" expected those that are meant; add `--facts {clone / repository.FOLDER}/facts.json`"
        )
    mend = "name another file, or rebuild it with `make facts`"
    return schema.read(given.facts, "facts", mend)


def add_build(parser: argparse.ArgumentParser) -> None:
    """Add how a fresh build is made: with which settings, on how many cores."""
    files: Any = {"action": "append", "default": [], "type": Path, "metavar": "FILE"}
    words = "settings that the facts were built with, where they differ from config.yaml"
    parser.add_argument("--configfile", **files, help=words)
    cores: Any = {"type": lambda text: max(1, whole(text)), "default": os.cpu_count() or 1}
    parser.add_argument("--cores", **cores, metavar="N", help="jobs at a time; all by default")


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
