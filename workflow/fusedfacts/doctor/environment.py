"""Interpreter, library, devices and machine: which Python runs, what it imports, on what."""

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

LEAST = (3, 11)  # what the Makefile and pyproject.toml ask for
FIX_PYTHON = "run `make facts PYTHON=python3.12`, or name another that is new enough"
FIX_DRIVER = (
    "update the driver, or leave it out and use Mesa's alone: `export"
    " VK_DRIVER_FILES=$(echo /usr/share/vulkan/icd.d/lvp_icd*.json)`"
)
# A path that is too long for a first line is handed to a shell in the second.
SHEBANG = re.compile(rb"#!(?:/bin/sh\n'''exec' )?\"?(?P<python>/[^\n\"]*/bin/python[0-9.]*)[\" \n]")
SHEBANG_BYTES = 4096  # Linux's longest path
ADAPTER_SECONDS = 30  # a driver's first start, from a cold disk, takes a few
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def environment_of(script: Path) -> Path | None:
    """Find the environment whose Python a script's first line names, if it names one."""
    try:
        if script.is_symlink() or not script.is_file():
            return None
        with script.open("rb") as file:
            found = SHEBANG.match(file.read(SHEBANG_BYTES))
    except OSError:
        return None
    return Path(os.fsdecode(found["python"])).parents[1] if found else None


def site_packages(venv: Path) -> list[Path]:
    """List where an environment keeps its packages."""
    return sorted([*venv.glob("lib/python*/site-packages"), *venv.glob("Lib/site-packages")])


def findings(site: Site) -> Iterator[Finding]:
    """Find an old interpreter, a moved environment, and another clone's Python or library."""
    if site.version[:2] < LEAST:
        found, least = (".".join(map(str, numbers)) for numbers in (site.version, LEAST))
        yield Finding("interpreter", "Python", f"version {found}", f"{least} or newer", FIX_PYTHON)
    moved = next(_moved(site), None)
    if moved:
        yield moved  # to activate a broken environment fixes nothing
    elif site.venv.exists() and site.prefix.resolve() != site.venv.resolve():
        expected = "that of this clone's .venv"
        yield Finding("interpreter", "Python", f"that of {site.prefix}", expected, ACTIVATE)
    for entry in filter(None, site.variables.get("PYTHONPATH", "").split(os.pathsep)):
        if _is_another_library(site.working / entry, site.root):
            yield Finding(
                "interpreter",
                "PYTHONPATH",
                f"{entry}, which holds another copy of the library",
                "none but this clone's workflow",
                "run `unset PYTHONPATH`",
            )


def _moved(site: Site) -> Iterator[Finding]:
    """Look for another path than its own in the environment, which knows it in many places."""
    if not site.venv.exists():
        return
    python = site.venv / "bin" / "python"
    if not python.exists():
        gone = f"{os.readlink(python)}, not there" if python.is_symlink() else "nothing"
        yield Finding("interpreter", ".venv/bin/python", gone, "an interpreter", REINSTALL)
    for script in sorted((site.venv / "bin").glob("*")):
        owner = environment_of(script)
        if owner is not None and owner.resolve() != site.venv.resolve():
            found = f"a script of {owner}: the environment was moved or copied"
            where, expected = f".venv/bin/{script.name}", "one of this clone's .venv"
            yield Finding("interpreter", where, found, expected, REINSTALL)
    for path in (p for folder in site_packages(site.venv) for p in sorted(folder.glob("*.pth"))):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if _is_another_library(Path(line.strip()), site.root):
                found, where = f"the library of {line.strip()}", f".venv, {path.name}"
                yield Finding("interpreter", where, found, "that of this clone", REINSTALL)


def _is_another_library(folder: Path, root: Path) -> bool:
    return (folder / "fusedfacts").is_dir() and folder.resolve() != (root / "workflow").resolve()


def machine(site: Site, table: Path = Path("/proc/meminfo")) -> dict[str, Any]:
    """Describe cores, memory, disk and browser; None where there is none or it is unknown."""
    named = site.variables.get("CHROMIUM")
    path = site.variables.get("PATH", os.defpath)
    browsers = (shutil.which(name, path=path) for name in ((named,) if named else BROWSERS))
    own = hasattr(os, "sched_getaffinity")
    text = table.read_text(encoding="utf-8") if table.exists() else ""
    kilobytes = re.search(r"^MemTotal: +([0-9]+) kB$", text, re.MULTILINE)
    return {
        "cores": len(os.sched_getaffinity(0)) if own else os.cpu_count() or 1,
        "memory_bytes": 1024 * int(kilobytes[1]) if kilobytes else None,
        "free_bytes": shutil.disk_usage(site.root).free,
        "browser": next(filter(None, browsers), None),
    }


def list_adapters(
    site: Site,
    words: tuple[str, ...] = ("-m", "fusedfacts.device"),
    seconds: float = ADAPTER_SECONDS,
) -> tuple[list[str], str | None, list[Finding]]:
    """List the devices that WebGPU finds, why there are none, and what is in the way.

    Another process asks, for a driver may crash or never answer. To have no device is no illness,
    because the facts need none; a driver that crashes is one.
    """
    own = site.venv / "bin" / "python"
    try:
        done = subprocess.run(
            [str(own) if own.exists() else sys.executable, *words],
            cwd=site.root,
            env={**site.variables, "PYTHONPATH": str(site.root / "workflow")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except OSError as fault:
        return [], f"the listing could not start ({fault.strerror})", []
    except subprocess.TimeoutExpired:
        broken = f"no answer within {seconds:g} s"
    else:
        if done.returncode == 0:
            return list(filter(None, done.stdout.splitlines())), None, []
        if done.returncode > 0:
            why = ([line for line in done.stderr.splitlines() if line.strip()] or ["no word"])[-1]
            if why.startswith("ModuleNotFoundError"):
                why = "not to be asked before `make facts` has installed the packages"
            return [], why.removeprefix("error: "), []
        broken = f"a crash ({signal.Signals(-done.returncode).name})"
    expected = "a list of devices or none"
    return [], broken, [Finding("adapters", "adapters", broken, expected, FIX_DRIVER)]
