"""The lock requirements.txt against what is installed, and the sentence about a missing package."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fusedfacts.doctor.site import ACTIVATE, REINSTALL, Finding, listed
from fusedfacts.documents import files, repository
from fusedfacts.errors import FactsError

LOCK = "requirements.txt"
FIX_LOCK = (
    "write it anew with the command that CONTRIBUTING.md gives, or `git checkout requirements.txt`"
)
SET_UP = "run `make facts`, which sets it up, then `. .venv/bin/activate`"
PIN = re.compile(r"([A-Za-z0-9][\w.-]*)==([\w.!+]+)(?: *; *([^\\]+?))? *\\?")
PASSED_OVER = re.compile(r"\s*(#.*|--hash=sha256:[0-9a-f]{64} *\\?)?")
# Packages that are imported under another name than the one they are installed under.
INSTALLED_AS = {
    "attr": "attrs",
    "dateutil": "python-dateutil",
    "git": "gitpython",
    "rpds": "rpds-py",
    "yaml": "pyyaml",
}
# What the library imports somewhere, and so may miss only when its job runs.
IMPORTED = ("jinja2", "jsonschema", "numba", "numpy", "safetensors", "tqdm", "wgpu", "yaml")


class Pin(NamedTuple):
    """One package of the lock: its name in normal form, its marker empty if it always applies."""

    name: str
    version: str
    marker: str


def normal(name: str) -> str:
    """Bring a package's name into the form in which two are compared.

    >>> normal("Jinja2"), normal("ruamel.yaml_x")
    ('jinja2', 'ruamel-yaml-x')
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(root: Path) -> list[Pin]:
    """Read the pins of a clone's lock, in its order."""
    lock = files.read_bytes(root / LOCK, FIX_LOCK).decode("utf-8", errors="replace")
    pins = []
    for line in lock.splitlines():
        if PASSED_OVER.fullmatch(line):
            continue
        found = PIN.fullmatch(line.rstrip())
        if not found:
            raise FactsError(
                f"{LOCK}: found {line[:60].strip()!r}, expected NAME==VERSION with a sha256 hash;"
                f" {FIX_LOCK}"
            )
        pins.append(Pin(normal(found[1]), found[2], found[3] or ""))
    return pins


@dataclass(frozen=True)
class Comparison:
    """How many pins apply, names that are missing, and (name, installed, locked) that differ."""

    locked: int
    missing: tuple[str, ...]
    other: tuple[tuple[str, str, str], ...]

    @property
    def findings(self) -> list[Finding]:
        """Name what an environment lacks. Packages that are there besides do no harm."""
        findings = []
        if self.missing:
            found = f"no {listed(self.missing)}"
            findings.append(Finding("packages", ".venv", found, f"all of {LOCK}", REINSTALL))
        if self.other:
            there = listed([f"{name} {version}" for name, version, _ in self.other])
            wanted = listed([f"{name} {version}" for name, _, version in self.other])
            wanted = f"{wanted} as in {LOCK}"
            findings.append(Finding("packages", ".venv", there, wanted, REINSTALL))
        return findings


def installed(folders: Sequence[Path] | None = None) -> dict[str, str]:
    """Look up versions by normal name, in some folders or in the interpreter's own."""
    from importlib import metadata  # slow to import, and not needed to start

    found: dict[str, str] = {}
    path = sys.path if folders is None else [str(folder) for folder in folders]
    for package in metadata.distributions(path=path):
        # What a half-deleted package left has no name.
        name = package.metadata["Name"] if package.metadata is not None else None
        if name:
            found.setdefault(normal(name), package.version)
    return found


def compare(pins: Sequence[Pin], there: Mapping[str, str]) -> Comparison:
    """Compare the pins with the versions that are installed.

    A pin with a marker is of some systems only, and expected where it is installed.

    >>> compare([Pin("numpy", "2.4.6", ""), Pin("colorama", "1", "...")], {"numpy": "2.0.0"})
    Comparison(locked=1, missing=(), other=(('numpy', '2.0.0', '2.4.6'),))
    """
    versions = [
        (pin.name, there.get(pin.name), pin.version)
        for pin in pins
        if pin.name in there or not pin.marker
    ]
    return Comparison(
        len(versions),
        tuple(name for name, found, _ in versions if found is None),
        tuple((name, found, pin) for name, found, pin in versions if found not in (None, pin)),
    )


def missing_package(
    error: ModuleNotFoundError, root: Path = repository.ROOT, prefix: str = sys.prefix
) -> FactsError | None:
    """Say that a package of the lock is not installed; None for any other module.

    What is missing and is no package of the lock is a fault of the library, and stays a traceback.
    """
    module = (error.name or "").partition(".")[0]
    package = normal(INSTALLED_AS.get(module, module))
    try:
        if package not in {pin.name for pin in locked(root)}:
            return None
    except FactsError as unreadable:
        return unreadable
    where, fix = ".venv", REINSTALL
    if Path(prefix).resolve() != (root / ".venv").resolve():
        where, fix = f"Python of {prefix}", ACTIVATE if (root / ".venv").exists() else SET_UP
    return FactsError(f"{where}: found no {package}, expected all of {LOCK}; {fix}")


def require(modules: Sequence[str] = IMPORTED) -> None:
    """Look for packages without importing them, which would take seconds.

    Raises
    ------
    ModuleNotFoundError
        Naming the first that is not there, or of which only an empty folder is.
    """
    for name in modules:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def missing_reported() -> Iterator[None]:
    """Leave with one sentence and its exit code where an import within finds no package."""
    try:
        yield
    except ModuleNotFoundError as missing:
        error = missing_package(missing)
        if error is None:
            raise
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(error.exit_code)
