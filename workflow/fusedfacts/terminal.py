"""What reaches a person's terminal: sentences, tables, figures and one progress bar."""

from __future__ import annotations

import os
import re
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fusedfacts import errors
from fusedfacts.errors import FactsError

BAR = "{bar:20} {n_fmt}/{total_fmt} [{elapsed}<{remaining}] {desc}"
WAIT_S = 1.0  # what takes no longer needs no bar
INTERRUPTED = 130  # what a shell reports after Ctrl-C
CLEARED = "\r\x1b[K"  # the line on which a run shows how far it is
WIDTH = 80  # columns of a terminal that nobody has widened
INDENT = "  "
waiting: list[Callable[[str], None]] = []  # who is told why it takes long; the command adds one
LISTED_MOST = 5  # names that a sentence can carry
FLOAT32_DIGITS = 9  # tell any two float32 numbers apart


@dataclass(frozen=True)
class Answer:
    """The answer of one subcommand, for programs and for people."""

    document: dict[str, Any]  # exact JSON types only
    lines: list[str]
    holds: bool = True  # exit code 0, else 1
    wrong_input: bool = False  # exit code 2: of several inputs one was refused
    pages: bool = False  # a list for a pager, where a terminal cannot show it whole


@contextmanager
def reporting(log: str | None = None) -> Iterator[None]:
    """Turn a fault into its sentence, on stderr and in the log if any, and its exit code.

    The log has the traceback of what nobody foresaw.
    """
    if log:
        Path(log).write_text("", encoding="utf-8")
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # where in a loop that was, who pressed it does not ask
    except Exception as fault:
        error = complain(fault)
        if log:
            whole = "" if error is fault else traceback.format_exc()
            with suppress(OSError):  # it may be the very disk that is full
                Path(log).write_text(f"{whole}{error.label}: {error}\n", encoding="utf-8")
        sys.exit(error.exit_code)


def complain(fault: Exception) -> FactsError:
    """Print the sentence of a fault to stderr, and nowhere where that is closed or full."""
    error = errors.sentence_of(fault)
    if sys.flags.dev_mode and error is not fault:
        traceback.print_exception(fault)
    if sys.stderr is not None:
        say(f"{CLEARED * sys.stderr.isatty()}{error.label}: {error}")
    return error


def say(line: str) -> None:
    """Print a line to stderr, and nowhere where that is closed or full."""
    if sys.stderr is None:  # print itself would take standard output
        return
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        abandon(sys.stderr.fileno())


def abandon(descriptor: int) -> None:
    """Write nothing more there, not even what Python flushes when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


@contextmanager
def progress_bar(steps: int, *, in_logs: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a bar on stderr to somebody who waits at a terminal, and with `in_logs` elsewhere too.

    What it yields is called with a few words as each step begins.
    """
    from tqdm import tqdm  # the doctor answers where nothing is installed

    looks: Any = {"bar_format": BAR, "dynamic_ncols": True, "delay": WAIT_S}
    looks["disable"] = False if in_logs else None  # by whether stderr is a terminal
    tqdm.monitor_interval = 0  # no thread of its own, which a machine may not grant
    with tqdm(total=steps, file=sys.stderr, **looks) as bar:
        begun = 0

        def begin(words: str) -> None:
            nonlocal begun
            bar.update(min(begun, 1))  # a step that begins ends the one before
            begun += 1
            bar.set_description_str(words)

        yield begin
        bar.update(min(begun, 1))


def columns(rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> list[str]:
    """Align rows in columns; those of `numbers` are flush right.

    >>> columns([("a", "1"), ("bb", "12")], numbers=[1])
    ['a    1', 'bb  12']
    """
    aligned = []
    for i, column in enumerate(zip(*rows, strict=True)):
        justify, width = str.rjust if i in numbers else str.ljust, max(map(len, column))
        aligned.append([justify(cell, width) for cell in column])
    return ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]


def wrapped(sentence: str) -> list[str]:
    """Wrap a sentence at a terminal's width, all lines but the first indented.

    It is cut between words only: a figure stays whole, and so does a command in backquotes.

    >>> wrapped("word " * 20)[1]
    '  word word word word'
    """
    whole = re.sub(r"`[^`]*`", lambda command: command[0].replace(" ", "\0"), sentence)
    words: Any = {"break_long_words": False, "break_on_hyphens": False}
    lines = textwrap.wrap(whole, WIDTH, subsequent_indent=INDENT, **words)
    return [line.replace("\0", " ") for line in lines]


def counted(number: int, noun: str) -> str:
    """Write a number with what it counts, in the plural where it is not one.

    >>> counted(1, "score"), counted(2, "property"), counted(6400, "key")
    ('1 score', '2 properties', '6,400 keys')
    """
    changes = noun.endswith("y") and noun[-2:-1] not in "aeiou"  # a property, but a key
    plural = f"{noun[:-1]}ies" if changes else f"{noun}s"
    return f"{number:,} {agreeing(number, noun, plural)}"


def agreeing(number: int, one: str, several: str) -> str:
    """Choose the word that goes with a number.

    >>> agreeing(1, "exceeds its bound", "exceed their bounds")
    'exceeds its bound'
    """
    return one if number == 1 else several


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence: the first few, and how many more.

    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    shown = ", ".join(names[:LISTED_MOST])
    more = len(names) - LISTED_MOST
    return f"{shown} and {more} more" if more > 0 else shown


def error(value: float | None) -> str:
    """Write an error, a bound or their ratio; None is what a document says where one is not finite.

    >>> error(2.14e-05), error(None)
    ('2.14e-05', 'not finite')
    """
    return "not finite" if value is None else f"{value:.2e}"


def float32(value: float) -> str:
    """Write a number with as many digits as float32 may need.

    >>> float32(0.08731754124164581)
    '0.0873175412'
    """
    return f"{value:.{FLOAT32_DIGITS}g}"


def natural(text: str) -> list[str | int]:
    """Make a key that sorts numbers within words by their value.

    >>> sorted(["n1024.d16", "n64.d16", "n64.d2"], key=natural)
    ['n64.d2', 'n64.d16', 'n1024.d16']
    """
    # Split by a group, texts and digits take turns, so that like is compared with like.
    return [int(part) if i % 2 else part for i, part in enumerate(re.split("([0-9]+)", text))]
