"""The command's exact output; `PYTHONPATH=tests python -m support.transcripts` rewrites it."""

import pytest
from fusedfacts.numerics import rounding
from support import transcripts

# How wide argparse sets a table, and where it breaks a line, is each Python's own affair.
SET_BY_PYTHON = ("help",)
PATHS = sorted(transcripts.FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_the_command_says_what_the_transcript_says(path, monkeypatch):
    """No figure of a check's transcript could be rounded otherwise elsewhere.

    Published figures stop the build there; these are somebody's, so the test looks instead.
    """

    def guarded(value, digits=rounding.DIGITS):
        return rounding.up(value, "a figure of a transcript", digits)

    monkeypatch.setattr(rounding, "shown_up", guarded)
    monkeypatch.setenv("COLUMNS", transcripts.WIDTH)
    found, expected = transcripts.current(path), path.read_text(encoding="utf-8")
    if path.stem in SET_BY_PYTHON:
        found, expected = found.split(), expected.split()
    assert found == expected
