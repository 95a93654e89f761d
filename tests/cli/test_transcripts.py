"""The command's exact output; `PYTHONPATH=tests python -m support.transcripts` rewrites it."""

import pytest
from support import transcripts

PATHS = sorted(transcripts.FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_the_command_says_what_the_transcript_says(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", transcripts.WIDTH)
    assert transcripts.current(path) == path.read_text(encoding="utf-8")


def test_there_are_transcripts():
    assert PATHS
