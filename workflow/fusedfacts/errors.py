"""The two ways in which a run may end badly, each with its exit code."""

from __future__ import annotations


class FactsError(Exception):
    """Something that a user can cause and mend: exit code 2, one sentence, no traceback.

    The sentence names the file and the field, what was found, what was expected, and the
    command or edit that mends it.
    """

    exit_code = 2


class ClaimError(FactsError):
    """A claim that does not hold: exit code 1. Nothing may be published after it."""

    exit_code = 1
