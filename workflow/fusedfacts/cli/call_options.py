"""Options that say which attention a call is: its axes, names and mask, and its precision."""

from __future__ import annotations

import argparse
from typing import Any

from fusedfacts import errors
from fusedfacts.attention.pattern import ALIGNMENTS
from fusedfacts.cli import options
from fusedfacts.errors import FactsError
from fusedfacts.judging.layout import LAYOUTS, N_MOST
from fusedfacts.judging.recipe import RECIPES
from fusedfacts.tensor_check.header import NAMES

# What --causal says by itself: no alignment, which must not matter then.
UNALIGNED = "square"
EVERY = -1  # of a window: no limit


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    words = "in which precision o was computed: one of"
    named = f"{words} {', '.join(RECIPES)}, or FILE.toml or FILE.json; by default as q and o say"
    add("--recipe", metavar="NAME", help=named)
    asked: Any = {"type": options.one_of(LAYOUTS), "choices": LAYOUTS}
    words = "order of axes: batch, heads, n, d; needed where shapes leave a doubt"
    add("--layout", **asked, help=words)
    words = "what the file calls its tensors, say q=query,k=key"
    add("--names", type=names, default={}, metavar="NAMES", help=words)
    words = "a query looks at no key after its own position; with fewer queries than keys say where"
    aligned = f"{words} query 0 stands: at key 0 (top-left), or so that the last meet"
    shapes = (*ALIGNMENTS, UNALIGNED)
    asked = {"nargs": "?", "const": UNALIGNED, "type": options.one_of(shapes), "choices": shapes}
    add("--causal", **asked, metavar="ALIGN", help=f"{aligned} (bottom-right)")
    asked = {"type": options.one_of(ALIGNMENTS), "choices": ALIGNMENTS}
    add("--align", **asked, help="the same for a --window without --causal")
    words = "keys that a query sees before its own position, and after it; -1: all"
    add("--window", type=window, metavar="LEFT,RIGHT", help=words)
    words = "a score s becomes C tanh(s / C)"
    add("--softcap", type=options.real, metavar="C", help=words)
    words = "factor of scores; 1 / sqrt(d) by default"
    add("--scale", type=options.real, metavar="S", help=words)
    words = "name for each head the mistakes that its tensors may let pass"
    add("--hidden", action="store_true", help=words)


def names(text: str) -> dict[str, str]:
    """Convert pairs of what a tensor is and what the file calls it.

    >>> names("q=query,k=attn.key")
    {'q': 'query', 'k': 'attn.key'}
    """
    found: dict[str, str] = {}
    for pair in text.split(","):
        role, equals, name = pair.partition("=")
        shown = errors.printable(pair, options.SHOWN)
        if not equals or not name or role not in NAMES:
            guess = errors.guessed(role[: options.SHOWN], NAMES)
            expected = f"{'|'.join(NAMES)}=NAME, with commas between"
            raise argparse.ArgumentTypeError(f"found '{shown}'{guess}, expected {expected}")
        if role in found or name in found.values():
            raise argparse.ArgumentTypeError(f"found '{shown}' twice, expected each tensor once")
        found[role] = name
    return found


def window(text: str) -> tuple[int, int | None]:
    """Convert numbers of keys before and after a query's position; None where one is not said.

    >>> window("9"), window("9,-1")
    ((9, None), (9, -1))
    """
    numbers = [options.whole(part) for part in text.split(",")]
    if len(numbers) > 2 or not all(EVERY <= number <= N_MOST for number in numbers):
        shown = errors.printable(text, options.SHOWN)
        raise argparse.ArgumentTypeError(
            f"found '{shown}', expected LEFT or LEFT,RIGHT, each {EVERY} to {N_MOST}"
        )
    return numbers[0], numbers[1] if len(numbers) > 1 else None


def refuse(given: argparse.Namespace) -> None:
    """Refuse a window that leaves a doubt."""
    if given.window and given.window[1] is None and not given.causal:
        raise FactsError(
            f"--window: found {given.window[0]} and nothing of keys after a query's position,"
            f" expected their number, -1 for all, or --causal; say --window {given.window[0]},0 for"
            " none"
        )


def pattern(given: argparse.Namespace) -> dict[str, Any]:
    """Say what the options mean to `judging.calls`."""
    before, after = given.window or (EVERY, EVERY)
    return {
        "causal": given.causal == UNALIGNED or given.causal or False,
        "align": given.align,
        "window": None if given.window is None else (before, after or 0),
        "softcap": given.softcap,
        "scale": given.scale,
    }
