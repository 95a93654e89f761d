"""The page's scripts outside a browser: in the node that Playwright's Python package brings."""

from __future__ import annotations

import os
import subprocess

from support.common import ROOT


def run(*arguments: str, stdin: str = "", **environment: str) -> str:
    """What node prints; its failure fails the test with everything that it said."""
    from playwright._impl._driver import compute_driver_executable

    command = [compute_driver_executable()[0], *arguments]
    said = {"input": stdin, "capture_output": True, "text": True}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, **said)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
