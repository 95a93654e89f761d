"""Cores, memory, disk, tools, and whether what a run writes can be written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fusedfacts.doctor.finding import Finding, below

LOOK = "machine"
BYTES = {"kB": 1024}
# The environment takes three quarters of a gigabyte, the results a few megabytes; pip needs as
# much again while it unpacks.
LEAST_FREE = 2 * 10**9
TOOLS = ("make", "git")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CACHE = Path("workflow", "fusedfacts", "__pycache__")  # compiled loops; without it a job compiles


@dataclass(frozen=True)
class Machine:
    """What there is; None where this system does not say."""

    cores: int
    memory: int | None
    free: int
    tools: dict[str, str | None]
    browser: str | None


def has(
    root: Path, environment: Mapping[str, str], memory: Path = Path("/proc/meminfo")
) -> Machine:
    """Look the machine over."""
    path = environment.get("PATH", os.defpath)
    named = environment.get("CHROMIUM")
    browsers = (shutil.which(name, path=path) for name in ((named,) if named else BROWSERS))
    return Machine(
        cores=len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1,
        memory=total_memory(memory),
        free=shutil.disk_usage(root).free,
        tools={name: shutil.which(name, path=path) for name in TOOLS},
        browser=next(filter(None, browsers), None),
    )


def total_memory(path: Path) -> int | None:
    """Bytes of memory, from Linux's table."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) == 3 and words[0] == "MemTotal:":
            return int(words[1]) * BYTES.get(words[2], 1)
    return None


def writable(folder: Path) -> bool:
    """Whether a folder can be written, or made where there is none yet."""
    place = folder
    while not place.exists():
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def look(root: Path, published: Path, machine: Machine) -> list[Finding]:
    """What a run would stumble over."""
    findings = []
    if not machine.tools["make"]:
        findings.append(
            Finding(LOOK, "make", "none", "it on the path", "run `sudo apt-get install make`")
        )
    if machine.free < LEAST_FREE:
        findings.append(
            Finding(
                LOOK,
                "disk",
                f"{machine.free / 1e9:.1f} GB free",
                f"at least {LEAST_FREE / 1e9:.0f} GB for packages and results",
                "delete something, such as `rm -rf .venv results` in clones that are not used",
            )
        )
    for folder in (published, root / "results", root / CACHE):
        if not writable(folder):
            name = below(folder, root)
            findings.append(
                Finding(
                    LOOK,
                    name,
                    "a folder that cannot be written",
                    "one that a run can write to",
                    f'run `sudo chown -R "$USER" {name} && chmod -R u+rwX {name}`, or clone'
                    " where you may write",
                )
            )
    return findings
