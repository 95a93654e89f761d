"""List the published claims: id, value, unit and class of each number.

There are hundreds. A pattern narrows the list, `fusedfacts claims 'traffic.*'`,
and so does a part of an id; a list that is longer than the terminal is shown in
$PAGER, or in less (q leaves it). Then `fusedfacts claim ID` says all about one.

class: exact is equal on every machine; bounded is an error, a bound, a loss or
the least fault seen, rounded as declared, errors always up.
"""

from __future__ import annotations

import argparse
import difflib
import fnmatch
from collections.abc import Sequence

from fusedfacts import terminal
from fusedfacts.cli import options
from fusedfacts.errors import FactsError
from fusedfacts.terminal import Answer, columns


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "pattern",
        nargs="?",
        default="*",
        help="a part of an id, or a pattern with * and ?; all by default",
    )
    options.add_facts(parser)


def run(given: argparse.Namespace) -> Answer:
    """List."""
    claims = options.read_facts(given)["claims"]
    ids = [claim["id"] for claim in claims]
    chosen = matching(given.pattern, ids)
    if not chosen:
        raise FactsError(
            f"claims: found no id like {given.pattern!r}{guessed(given.pattern, ids)}, expected"
            " some; see all with `fusedfacts claims`"
        )
    found = [claim for claim in claims if claim["id"] in chosen]
    rows = [("id", "value", "unit", "class")]
    in_order = sorted(found, key=lambda claim: terminal.natural(claim["id"]))
    rows += [(c["id"], c["display"], c["unit"], c["class"]) for c in in_order]
    return Answer({"claims": found}, columns(rows, numbers=[1]), pages=True)


def matching(pattern: str, ids: Sequence[str]) -> set[str]:
    """Find the ids that a pattern matches, or of which it is a part.

    >>> sorted(matching("b", ["a.b", "b", "a"])), matching("a.*", ["a.b", "b"])
    (['a.b', 'b'], {'a.b'})
    """
    if not any(sign in pattern for sign in "*?["):
        pattern = f"*{pattern}*"
    return {identifier for identifier in ids if fnmatch.fnmatchcase(identifier, pattern)}


def guessed(pattern: str, ids: Sequence[str]) -> str:
    """Guess the pattern that was meant: each name in it that no id has becomes the nearest one.

    >>> guessed("trafic.*", ["traffic.ratio"]), guessed("traffic.*", ["speed"])
    (' (did you mean traffic.*?)', '')
    """
    names = {name for identifier in ids for name in identifier.split(".")}
    near = {
        name: difflib.get_close_matches(name.lower(), sorted(names), 1)
        for name in pattern.split(".")
        if name not in names and "*" not in name
    }
    meant = ".".join((near.get(name) or [name])[0] for name in pattern.split("."))
    return f" (did you mean {meant}?)" if meant != pattern and matching(meant, ids) else ""
