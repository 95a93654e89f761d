"""The installed packages against the lock."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from fusedfacts.doctor.finding import Finding, listed
from fusedfacts.doctor.interpreter import MEND_VENV
from fusedfacts.doctor.requirements import LOCK, Pin, applies, normal

LOOK = "packages"
OWN = "fused-facts"  # the command itself, installed from the clone and so never locked
TOOLS = ("pip", "setuptools", "wheel")  # what Python's own venv module puts there

COMPILED = ".pyc"  # Python makes these anew


@dataclass(frozen=True)
class Held:
    """The lock beside what is installed.

    Attributes
    ----------
    wanted : int
        Pins that apply to this machine.
    missing : tuple of str
        Names.
    other : tuple of (name, installed, locked)
    unlocked : int
        Installed packages that no pin names.
    """

    wanted: int
    missing: tuple[str, ...]
    other: tuple[tuple[str, str, str], ...]
    unlocked: int


def installed(folders: Sequence[Path] | None) -> dict[str, str]:
    """Versions by normal name, of some folders' packages or of the interpreter's own."""
    found: dict[str, str] = {}
    path = sys.path if folders is None else [str(folder) for folder in folders]
    for package in metadata.distributions(path=path):
        # What a half-deleted package left has no name.
        name = package.metadata["Name"] if package.metadata is not None else None
        if name and not lost(package):
            found.setdefault(normal(name), package.version)
    return found


def lost(package: metadata.Distribution) -> bool:
    """Whether a file is gone that was installed with a package; without a list none is missed."""
    rows = csv.reader((package.read_text("RECORD") or "").splitlines())
    names = (row[0] for row in rows if row and not row[0].endswith(COMPILED))
    return any(not os.path.exists(str(package.locate_file(name))) for name in names)


def held(pins: Sequence[Pin], there: Mapping[str, str], values: Mapping[str, str]) -> Held:
    """Hold packages against pins.

    >>> pin = Pin("numpy", "2.4.6", "", frozenset())
    >>> held([pin], {"numpy": "2.0.0", "extra": "1"}, {})
    Held(wanted=1, missing=(), other=(('numpy', '2.0.0', '2.4.6'),), unlocked=1)
    """
    wanted = [pin for pin in pins if applies(pin.marker, values)]
    known = {pin.name for pin in pins} | {OWN, *TOOLS}
    return Held(
        len(wanted),
        tuple(pin.name for pin in wanted if pin.name not in there),
        tuple(
            (pin.name, there[pin.name], pin.version)
            for pin in wanted
            if there.get(pin.name, pin.version) != pin.version
        ),
        len(set(there) - known),
    )


def look(found: Held) -> list[Finding]:
    """What an environment lacks. Packages that are there besides do no harm."""
    findings = []
    if found.missing:
        findings.append(
            Finding(LOOK, ".venv", f"no {listed(found.missing)}", f"all of {LOCK}", MEND_VENV)
        )
    if found.other:
        there = listed([f"{name} {version}" for name, version, _ in found.other])
        locked = listed([f"{name} {version}" for name, _, version in found.other])
        findings.append(Finding(LOOK, ".venv", there, f"{locked} as in {LOCK}", MEND_VENV))
    return findings
