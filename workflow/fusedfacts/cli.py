"""How a user's mistake reaches the user: one sentence on stderr and an exit code, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fusedfacts.errors import FactsError


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
