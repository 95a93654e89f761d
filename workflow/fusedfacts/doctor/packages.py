"""The lock requirements.txt against what is installed, and the sentence about a missing package."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fusedfacts.doctor.site import ACTIVATE, REINSTALL, Finding
from fusedfacts.documents import files, repository
from fusedfacts.errors import FactsError
from fusedfacts.terminal import listed

LOCK = "requirements.txt"
SET_UP = "run `make facts`, which sets it up, then `. .venv/bin/activate`"
PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)(?: *; *([^\\\n]+?))? *\\?$", re.MULTILINE)
# Packages that are imported under another name than the one they are installed under.
INSTALLED_AS = {"attr": "attrs", "rpds": "rpds-py", "yaml": "pyyaml"}
# What the library imports somewhere, and so may miss only when its job runs.
IMPORTED = (
    *("jinja2", "jsonschema", "ml_dtypes", "numba", "numpy", "safetensors", "tqdm", "wgpu"),
    "yaml",
)


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
    lock = files.read_bytes(root / LOCK, f"run `git checkout {LOCK}`").decode(errors="replace")
    return [Pin(normal(name), version, marker) for name, version, marker in PIN.findall(lock)]


class Comparison(NamedTuple):
    """How many pins apply, names that are missing, and (name, installed, locked) that differ."""

    locked: int
    missing: tuple[str, ...]
    other: tuple[tuple[str, str, str], ...]

    @property
    def findings(self) -> list[Finding]:
        """Name what an environment lacks. Packages that are there besides do no harm."""
        there = [f"{name} {version}" for name, version, _ in self.other]
        wanted = [f"{name} {version}" for name, _, version in self.other]
        rows = [
            (self.missing, f"no {listed(self.missing)}", f"all of {LOCK}"),
            (self.other, listed(there), f"{listed(wanted)} as in {LOCK}"),
        ]
        return [Finding("packages", ".venv", *row[1:], REINSTALL) for row in rows if row[0]]


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
    apply = [pin for pin in pins if pin.name in there or not pin.marker]
    both = [(pin.name, there[pin.name], pin.version) for pin in apply if pin.name in there]
    missing = tuple(pin.name for pin in apply if pin.name not in there)
    return Comparison(len(apply), missing, tuple(row for row in both if row[1] != row[2]))


def missing_package(
    error: ModuleNotFoundError, root: Path = repository.ROOT, prefix: str = sys.prefix
) -> FactsError | None:
    """Say that a package of the lock is not installed; None for any other module.

    What is missing and is no package of the lock is for `errors.sentence_of` to tell.
    """
    module = (error.name or "").partition(".")[0]
    package = normal(INSTALLED_AS.get(module, module))
    if not (root / LOCK).is_file():  # an installed package has none
        return None
    if package not in {pin.name for pin in locked(root)}:
        return None
    where, fix = ".venv", REINSTALL
    if Path(prefix).resolve() != (root / ".venv").resolve():
        where, fix = f"Python of {prefix}", ACTIVATE if (root / ".venv").exists() else SET_UP
    return FactsError(f"{where}: found no {package}, expected all of {LOCK}; {fix}")


@contextmanager
def missing_named() -> Iterator[None]:
    """Turn an import within that finds no package of the lock into the sentence about it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise missing_package(missing) or missing from None


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
