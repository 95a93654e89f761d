"""The published film, which tests of its cues, captions and transcript share."""

import pytest
from fusedfacts.documents import canonical_json
from support.common import PUBLISHED


@pytest.fixture(scope="session")
def film():
    """The published timeline; one test holds it to what the facts give."""
    return canonical_json.read(PUBLISHED / "film.json")
