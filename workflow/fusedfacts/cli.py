"""How a user's mistake reaches the user: one sentence on stderr and an exit code, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fusedfacts.errors import FactsError


@contextmanager
def reporting() -> Iterator[None]:
    """Turn a FactsError into its sentence and its exit code."""
    try:
        yield
    except FactsError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(error.exit_code)
