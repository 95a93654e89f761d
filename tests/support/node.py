"""The page's scripts outside a browser: in the node that Playwright's Python package brings."""

from __future__ import annotations

import subprocess

from support.common import ROOT


def executable() -> str:
    """The path of Playwright's own node."""
    from playwright._impl._driver import compute_driver_executable

    return str(compute_driver_executable()[0])


def run(*arguments: str, stdin: str = "") -> str:
    """What node prints; its failure fails the test with everything that it said."""
    done = subprocess.run(
        [executable(), *arguments],
        **{"cwd": ROOT, "input": stdin, "capture_output": True, "text": True},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
