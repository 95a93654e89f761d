"""The page's scripts outside a browser: in the node that Playwright's Python package brings."""

from __future__ import annotations

import functools
import os
import subprocess

from support.common import ROOT
from support.missing import skip_unless_required


class NoNodeError(Exception):
    """Playwright's node does not start; the message says what it lacks."""


@functools.cache
def executable() -> str:
    """The path of a node that starts; it drives the browser, too."""
    from playwright._impl._driver import compute_driver_executable

    path = compute_driver_executable()[0]
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoNodeError(
            f"Playwright's node: found {done.stderr.strip()!r}, expected that it starts;"
            " run: sudo apt-get install libatomic1"
        )
    return path


def run(*arguments: str, stdin: str = "", **environment: str) -> str:
    """What node prints; its failure fails the test with everything that it said."""
    try:
        command = [executable(), *arguments]
    except NoNodeError as reason:
        skip_unless_required(reason, "REQUIRE_BROWSER")
    said = {"input": stdin, "capture_output": True, "text": True}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, **said)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
