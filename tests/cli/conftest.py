"""A folder of its own for each test of `fusedfacts check`."""

import pytest
from support import transcript_files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with the files of the transcripts."""
    transcript_files.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
