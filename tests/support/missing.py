"""What a machine may lack: a test without it is skipped, saying how to get it, and never in CI."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def skip_unless_required(reason: BaseException, variable: str) -> NoReturn:
    """Skip the test for a reason, or fail where a variable (`REQUIRE_BROWSER`) demands it."""
    if os.environ.get(variable):
        raise reason
    pytest.skip(str(reason))
