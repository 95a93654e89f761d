"""How a user's mistake reaches the user: one sentence on stderr and an exit code, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from fusedfacts.errors import FactsError

BAR = "{bar:20} {n_fmt}/{total_fmt} [{elapsed}<{remaining}] {desc}"


@contextmanager
def reporting(log: str | None = None) -> Iterator[None]:
    """Turn a FactsError into its sentence, on stderr and in the log if any, and its exit code."""
    if log:
        Path(log).write_text("", encoding="utf-8")
    try:
        yield
    except FactsError as error:
        sentence = f"error: {error}"
        print(sentence, file=sys.stderr, flush=True)
        if log:
            Path(log).write_text(sentence + "\n", encoding="utf-8")
        sys.exit(error.exit_code)


@contextmanager
def progress_bar(steps: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr; what it yields is called with a few words as each step begins."""
    with tqdm(total=steps, file=sys.stderr, bar_format=BAR, dynamic_ncols=True) as bar:
        begun = 0

        def begin(words: str) -> None:
            nonlocal begun
            bar.update(min(begun, 1))  # a step that begins ends the one before
            begun += 1
            bar.set_description_str(words)

        yield begin
        bar.update(min(begun, 1))
