"""A package that is not installed is no fault of the library: one sentence instead of a traceback.

What is missing and is no package of the lock is a fault of the library, and stays a traceback.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fusedfacts.doctor.interpreter import MEND_ACTIVATE, MEND_VENV
from fusedfacts.doctor.requirements import LOCK, PIN_BEGINS, normal
from fusedfacts.documents import repository
from fusedfacts.errors import FactsError

# Packages that are imported under another name than the one they are installed under.
INSTALLED_AS = {
    "attr": "attrs",
    "dateutil": "python-dateutil",
    "git": "gitpython",
    "rpds": "rpds-py",
    "yaml": "pyyaml",
}
# What the library imports somewhere, and so may miss only when its job runs.
NEEDED = (
    *("jinja2", "jsonschema", "numba", "numpy", "rocrate"),
    *("safetensors", "tqdm", "wgpu", "yaml"),
)
MEND_FRESH = "run `make facts`, which sets it up, then `. .venv/bin/activate`"


def fault(
    missing: ModuleNotFoundError, root: Path = repository.ROOT, prefix: str = sys.prefix
) -> FactsError | None:
    """The sentence about a package that the lock names; None for any other module.

    Parameters
    ----------
    missing : ModuleNotFoundError
    root : Path
        The clone.
    prefix : str
        The environment that lacks it.
    """
    module = (missing.name or "").partition(".")[0]
    package = normal(INSTALLED_AS.get(module, module))
    try:
        lock = (root / LOCK).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    if package not in map(normal, PIN_BEGINS.findall(lock)):
        return None
    venv = root / ".venv"
    if Path(prefix).resolve() == venv.resolve():
        where, mend = ".venv", MEND_VENV
    else:
        where, mend = f"Python of {prefix}", MEND_ACTIVATE if venv.exists() else MEND_FRESH
    return FactsError(f"{where}: found no {package}, expected all of {LOCK}; {mend}")


def require(modules: Sequence[str] = NEEDED) -> None:
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
def told() -> Iterator[None]:
    """Around imports: say the sentence and leave with its exit code."""
    try:
        yield
    except ModuleNotFoundError as missing:
        error = fault(missing)
        if error is None:
            raise
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(error.exit_code)
