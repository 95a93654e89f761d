"""A test that lacks something is skipped, says what to install, and fails where it is demanded."""

import pytest
from playwright._impl import _driver
from support import node, shots
from support.missing import skip_unless_required


def test_what_is_missing_skips_and_fails_where_it_is_demanded(monkeypatch):
    monkeypatch.delenv("REQUIRE_BROWSER", raising=False)
    reason = shots.NoBrowser("none; run: x")
    with pytest.raises(pytest.skip.Exception, match="none; run: x"):
        skip_unless_required(reason, "REQUIRE_BROWSER")
    monkeypatch.setenv("REQUIRE_BROWSER", "1")
    with pytest.raises(shots.NoBrowser, match="none; run: x"):
        skip_unless_required(reason, "REQUIRE_BROWSER")


def test_a_node_that_does_not_start_is_no_browser_and_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_driver, "compute_driver_executable", lambda: ("false", ""))
    monkeypatch.setattr(node, "executable", node.executable.__wrapped__)
    with pytest.raises(shots.NoBrowser, match=r"; run: sudo apt-get install libatomic1$"):
        shots.browser().__enter__()
