"""Whose Python runs, and whose library it imports: another clone's would give another's numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from fusedfacts.doctor import shebang
from fusedfacts.doctor.finding import Finding
from fusedfacts.doctor.place import Place

LOOK = "interpreter"
LEAST = (3, 11)  # what the Makefile and pyproject.toml ask for
LIBRARY = Path("workflow", "fusedfacts")
MEND_VENV = "run `rm -rf .venv && make facts`, which sets it up anew"
MEND_PYTHON = "run `make facts PYTHON=python3.12`, or name another that is new enough"
MEND_ACTIVATE = "run `. .venv/bin/activate` in the clone"


def look(place: Place) -> list[Finding]:
    """All that is wrong with the interpreter and what it would import."""
    broken = list(_moved(place))
    # To activate a broken environment mends nothing.
    other = [] if broken else _another(place)
    return [*_version(place), *other, *broken, *_python_path(place)]


def _version(place: Place) -> Iterator[Finding]:
    if place.version[:2] < LEAST:
        found, least = (".".join(map(str, numbers)) for numbers in (place.version, LEAST))
        yield Finding(LOOK, "Python", f"version {found}", f"{least} or newer", MEND_PYTHON)


def _another(place: Place) -> Iterator[Finding]:
    """A fresh clone has no environment yet, so there any interpreter will do."""
    if place.venv.exists() and place.prefix.resolve() != place.venv.resolve():
        yield Finding(
            LOOK, "Python", f"that of {place.prefix}", "that of this clone's .venv", MEND_ACTIVATE
        )


def site_packages(venv: Path) -> list[Path]:
    """Where an environment keeps its packages."""
    return sorted([*venv.glob("lib/python*/site-packages"), *venv.glob("Lib/site-packages")])


def _moved(place: Place) -> Iterator[Finding]:
    """An environment knows its own path: in its scripts, and where the library is installed from.

    One of the sentences is enough, for all have the same mend.
    """
    if not place.venv.exists():
        return
    if not (place.venv / "pyvenv.cfg").is_file():
        yield Finding(LOOK, ".venv", "no pyvenv.cfg", "a virtual environment", MEND_VENV)
        return
    python = place.venv / "bin" / "python"
    if place.venv.joinpath("bin").is_dir() and not python.exists():
        gone = os.readlink(python) if python.is_symlink() else "nothing"
        yield Finding(LOOK, ".venv/bin/python", f"{gone}, not there", "an interpreter", MEND_VENV)
        return
    for script in sorted((place.venv / "bin").glob("*")):
        owner = shebang.environment(script)
        if owner is not None and owner.resolve() != place.venv.resolve():
            yield Finding(
                LOOK,
                f".venv/bin/{script.name}",
                f"a script of {owner}: the environment was moved or copied",
                "one of this clone's .venv",
                MEND_VENV,
            )
            return
    for path in (p for folder in site_packages(place.venv) for p in sorted(folder.glob("*.pth"))):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            other = Path(line.strip())
            if (other / "fusedfacts").is_dir() and not _is_library_of(other, place.root):
                yield Finding(
                    LOOK,
                    f".venv, {path.name}",
                    f"the library of {other}",
                    "that of this clone",
                    MEND_VENV,
                )
                return


def _is_library_of(folder: Path, root: Path) -> bool:
    return folder.resolve() == (root / LIBRARY.parent).resolve()


def _python_path(place: Place) -> Iterator[Finding]:
    for entry in place.environment.get("PYTHONPATH", "").split(os.pathsep):
        folder = place.working / entry
        if entry and (folder / "fusedfacts").is_dir() and not _is_library_of(folder, place.root):
            yield Finding(
                LOOK,
                "PYTHONPATH",
                f"{entry}, which holds another copy of the library",
                f"none but this clone's {LIBRARY.parent}",
                "run `unset PYTHONPATH`",
            )
