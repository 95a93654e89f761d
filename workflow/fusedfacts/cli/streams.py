"""The three standard streams, any of which whoever starts the command may have closed or filled."""

from __future__ import annotations

import os
import sys

from fusedfacts import terminal
from fusedfacts.errors import FactsError

LAST = 2  # the descriptor of standard error


def open_all() -> None:
    """Put the null device where a stream is closed, before any file can take its descriptor."""
    closed = [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None]
    if not closed:
        return
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= LAST:  # the lowest that is free
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name in closed:
        mode = "r" if name == "stdin" else "w"
        setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    if "stdout" in closed:
        raise FactsError("standard output: found it closed, expected it open; send it to a file")


def write(text: str, code: int) -> int:
    """Print an answer, and give its exit code, or another one where it cannot be printed."""
    try:
        print(text, end="", flush=True)
    except OSError as fault:
        terminal.abandon(sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):  # else whoever read has left, and has enough
            raise FactsError(
                f"standard output: cannot be written ({fault.strerror}), expected room for an"
                " answer; send it elsewhere"
            ) from None
    return code
