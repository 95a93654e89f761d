"""A small clone for each test to plant an illness in."""

import pytest
from support.doctor_clones import healthy


@pytest.fixture
def site(tmp_path):
    """A clone with nothing in the way."""
    return healthy(tmp_path)
