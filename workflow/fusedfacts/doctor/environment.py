"""Interpreter, devices and machine: which Python runs, and on what."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fusedfacts.doctor.site import ACTIVATE, REINSTALL, Finding, Site

# A path that is too long for a first line is handed to a shell in the second.
SHEBANG = re.compile(rb"#!(?:/bin/sh\n'''exec' )?\"?(?P<python>/[^\n\"]*/bin/python[0-9.]*)[\" \n]")
SHEBANG_BYTES = 4096  # Linux's longest path
LISTING = "-m", "fusedfacts.device"
LISTING_SECONDS = 30  # a driver's first start, from a cold disk, takes a few
FIX_DRIVER = (
    "update the driver, or leave it out and use Mesa's alone: `export"
    " VK_DRIVER_FILES=$(echo /usr/share/vulkan/icd.d/lvp_icd*.json)`"
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def environment_of(script: Path) -> Path | None:
    """Find the environment whose Python a script's first line names, if it names one."""
    try:
        with script.open("rb") as file:
            found = SHEBANG.match(file.read(SHEBANG_BYTES))
    except OSError:
        return None
    return Path(os.fsdecode(found["python"])).parents[1] if found else None


def findings(site: Site) -> Iterator[Finding]:
    """Find an environment that is broken or was moved, or else another interpreter than its own."""
    own = Path(os.path.realpath(site.venv))  # which a link to itself does not stop
    if not site.venv.exists():
        if site.venv.is_symlink():
            found, expected = "a link that leads nowhere", "an environment"
            yield Finding("interpreter", ".venv", found, expected, "run `rm .venv && make facts`")
        return
    if not os.access(site.venv / "bin" / "python", os.X_OK):
        found, expected = "nothing that this user can run", "an interpreter"
        yield Finding("interpreter", ".venv/bin/python", found, expected, REINSTALL)
        return
    for script in sorted((site.venv / "bin").glob("*")):
        owner = environment_of(script)
        if owner is not None and owner.resolve() != own:
            found = f"a script of {owner}: the environment was moved or copied"
            where, expected = f".venv/bin/{script.name}", "one of this clone's .venv"
            yield Finding("interpreter", where, found, expected, REINSTALL)
            return  # to activate it fixes nothing
    if site.prefix.resolve() != own:
        expected = "that of this clone's .venv"
        yield Finding("interpreter", "Python", f"that of {site.prefix}", expected, ACTIVATE)


def machine(root: Path) -> dict[str, Any]:
    """Describe cores, memory, disk and browser, None where there is no browser."""
    named = os.environ.get("CHROMIUM")
    browsers = map(shutil.which, (named,) if named else BROWSERS)
    own = hasattr(os, "sched_getaffinity")
    return {
        "cores": len(os.sched_getaffinity(0)) if own else os.cpu_count() or 1,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "free_bytes": shutil.disk_usage(root).free,
        "browser": next(filter(None, browsers), None),
    }


def list_adapters(site: Site) -> tuple[list[str], str | None]:
    """List the devices that WebGPU finds, or say why there are none.

    Another process asks, for a driver may crash or never answer. None of it is in the way of the
    facts, which need no device.
    """
    own = site.venv / "bin" / "python"
    try:
        done = subprocess.run(
            [str(own) if os.access(own, os.X_OK) else sys.executable, *LISTING],
            cwd=site.root,
            env={**os.environ, "PYTHONPATH": str(site.root / "workflow")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LISTING_SECONDS,
            check=False,
        )
    except OSError as fault:
        return [], f"the listing could not start ({fault.strerror})"
    except subprocess.TimeoutExpired:
        return [], f"no answer within {LISTING_SECONDS} s; {FIX_DRIVER}"
    if done.returncode == 0:
        return done.stdout.splitlines(), None
    if done.returncode < 0:
        return [], f"a crash ({signal.Signals(-done.returncode).name}); {FIX_DRIVER}"
    why = (done.stderr.strip() or "no word").splitlines()[-1]
    if why.startswith("ModuleNotFoundError"):
        why = "not to be asked before `make facts` has installed the packages"
    return [], why.removeprefix("error: ")
