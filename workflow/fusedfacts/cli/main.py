"""`fusedfacts COMMAND ...`: reads the words, runs the subcommand, prints, gives the exit code."""

from __future__ import annotations

import argparse
import functools
import importlib
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from fusedfacts import errors, terminal
from fusedfacts.cli import options, shown, streams, threads
from fusedfacts.doctor import packages
from fusedfacts.documents import canonical_json, repository
from fusedfacts.errors import FactsError
from fusedfacts.terminal import Answer, complain

DESCRIPTION = """\
Checked numbers about fused attention: count the bytes that it moves, check an
answer of your own, look up a published number and recompute it, or audit
everything that is published.
"""
EPILOG = """\
exit codes: 0 it holds, 1 it does not hold, 2 anything else
colours: in a terminal only; none if NO_COLOR is set, always if FORCE_COLOR is
examples:
  fusedfacts count --n 4096 --d 64
  fusedfacts check mine.safetensors --causal
  fusedfacts claim traffic.fused.n4096.d64 --rerun
  fusedfacts audit --full
"""
DISTRIBUTION = "fused-facts"
COMMANDS = {
    "count": "count the bytes that attention of one size asks of global memory",
    "check": "compare attention's answer on your own tensors with the exact one",
    "claims": "list the published numbers (claims), all or some",
    "claim": "show all about one claim; with --rerun, recompute it",
    "audit": "compare what is published with its sources, or with a fresh computation",
    "doctor": "show what this machine has, and what is wrong with the set-up",
    "completion": "print a script by which your shell completes commands and options",
}
HOLDS, DOES_NOT_HOLD, WRONG_INPUT = 0, 1, FactsError.exit_code


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one sentence."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to read more."""
        raise FactsError(f"{self.prog}: {message}; see `{self.prog} --help`")


def version() -> str:
    """Read the version: a clone's from pyproject.toml, of which what is installed may be behind."""
    if not repository.IS_CLONE:
        from importlib import metadata  # slow to import

        return metadata.version(DISTRIBUTION)
    project = (repository.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return str(re.findall('^version = "(.+)"$', project, re.MULTILINE)[0])


def require_this_clone(folder: Path) -> None:
    """Refuse to answer for one clone where somebody stands in another."""
    clone = repository.clone_around(folder)
    if clone and clone.resolve() != repository.ROOT.resolve():
        fix = f"`make facts` there, then `{clone}/.venv/bin/fusedfacts`"
        if (clone / ".venv").is_symlink():  # its library is the other clone's
            fix = f"`PYTHONPATH={clone}/workflow {clone}/.venv/bin/fusedfacts`"
        raise FactsError(
            f"{clone}: found the command of another clone, {repository.ROOT}, expected this"
            f" one's; run {fix}"
        )


def _module(name: str) -> Any:
    return importlib.import_module(f"fusedfacts.cli.{name}")


def parser(*chosen: str) -> tuple[Parser, dict[str, Parser]]:
    """Build the parser, and those of subcommands by name.

    Only the chosen subcommands' modules are imported, to start at once.
    """
    shared: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    top = Parser(prog="fusedfacts", description=DESCRIPTION, epilog=EPILOG, **shared)
    named: Any = {"action": "version", "version": f"fusedfacts {version()}"}
    top.add_argument("--version", **named, help="print the version and exit")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    known: dict[str, Parser] = {}
    for name, words in COMMANDS.items():
        module = _module(name) if name in chosen else None
        about = module and module.__doc__
        sub = known[name] = commands.add_parser(name, help=words, description=about, **shared)
        sub.add_argument("--json", action="store_true", help="print JSON instead of text")
        if module:
            module.arguments(sub)
    return top, known


def answer(words: Sequence[str]) -> tuple[Answer, bool]:
    """Answer a command line, and tell whether JSON was asked for."""
    try:
        here = Path.cwd()
    except OSError as fault:
        why = f"cannot be found ({fault.strerror})"
        raise FactsError(f"the working directory: {why}; change into another") from None
    if repository.IS_CLONE:
        require_this_clone(here)
    at = next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))
    chosen = words[at : at + 1]
    threads.limit()
    if chosen and chosen[0] not in COMMANDS:
        guess = errors.guessed(chosen[0], COMMANDS)
        raise FactsError(
            f"fusedfacts: found the command {chosen[0]!r}{guess}, expected one of"
            f" {', '.join(COMMANDS)}; see `fusedfacts --help`"
        )
    top, commands = parser(*chosen)
    options.require_known(top, words[:at])
    if chosen:
        options.require_known(commands[chosen[0]], words[at + 1 :])
        words = [*words[: at + 1], *options.joined(commands[chosen[0]], words[at + 1 :])]
    given = top.parse_args(list(words))
    return _module(given.command).run(given), given.json


def main(words: Sequence[str]) -> int:
    """Run a command line and return its exit code."""
    try:
        with packages.missing_named():
            found, as_json = answer(words)
        code = HOLDS if found.holds else DOES_NOT_HOLD
        code = WRONG_INPUT if found.wrong_input else code
        if as_json:
            return streams.write(canonical_json.dumps(found.document), code)
        # What a document of a stranger says must not reach the terminal as a command to it.
        text = shown.text([errors.printable(line) for line in found.lines], sys.stdout)
        if found.pages and sys.stdout.isatty():
            shown.page(text)
            return code
        return streams.write(text, code)
    except FactsError as error:
        return _refused(error, words)


def _refused(fault: Exception, words: Sequence[str]) -> int:
    """Print the sentence, and in JSON where that was asked for."""
    if "--json" in words:
        error = errors.sentence_of(fault)
        with suppress(FactsError):  # standard output is full or closed
            streams.write(canonical_json.dumps({"error": str(error)}), error.exit_code)
    return complain(fault).exit_code


def script() -> NoReturn:
    """Run the command; to interrupt it gives no traceback, and what nobody foresaw no verdict."""
    words = sys.argv[1:]
    try:
        streams.open_all()
        once = functools.cache(terminal.say)
        terminal.waiting.append(once)
        code = main(words)
    except KeyboardInterrupt:
        code = terminal.INTERRUPTED
    except Exception as fault:
        code = _refused(fault, words)
    sys.exit(code)
