"""What surrounds a clone: its user's variables and home, and the clock."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from fusedfacts.doctor.site import Finding, Site
from fusedfacts.documents import repository
from fusedfacts.terminal import listed

# They send packages elsewhere than into .venv, or ask for other ones than the lock's, or for none.
PIP_VARIABLES = (
    *("PIP_BUILD_CONSTRAINT", "PIP_CONSTRAINT", "PIP_DRY_RUN", "PIP_NO_DEPS", "PIP_PREFIX"),
    *("PIP_PYTHON", "PIP_REQUIREMENT", "PIP_ROOT", "PIP_TARGET", "PIP_USER"),
)
PROFILES = (Path("."), Path("~/.config/snakemake"), Path("/etc/xdg/snakemake"))
SOURCES = ("requirements.txt", "config.yaml", "Snakefile", "workflow", "kernels", "model")
WRITTEN = ("results", ".snakemake", repository.FOLDER)
CLOCK_SECONDS = 60  # by which two machines that share a file system may differ


def findings(site: Site, variables: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Find variables, a home, or dates of files that stop a run."""
    yield from _variables(site, variables)
    yield from _home(variables)
    yield from _future(site.root)
    yield from _unreadable(site.root)
    yield from _unwritable(site)


def _variables(site: Site, variables: Mapping[str, str]) -> Iterator[Finding]:
    """Find variables that lead pip or Snakemake elsewhere; make itself drops those of pip."""
    for name in filter(variables.get, PIP_VARIABLES):
        found, expected = f"{variables[name]!r}", "it unset where packages are installed by hand"
        # `make` drops it, so an environment that is complete was not hurt.
        if not site.venv.exists():
            yield Finding("variables", name, found, expected, f"run `unset {name}`")
    profile = variables.get("SNAKEMAKE_PROFILE")
    if profile and profile != "none":
        bases = (site.working, *PROFILES)
        if not any((base.expanduser() / profile).exists() for base in bases):
            fix = "run `unset SNAKEMAKE_PROFILE`"
            yield Finding(
                "variables", "SNAKEMAKE_PROFILE", repr(profile), "a profile's folder", fix
            )


def _home(variables: Mapping[str, str]) -> Iterator[Finding]:
    """Find a home in which Snakemake cannot make its cache."""
    home = Path(variables.get("HOME") or os.path.expanduser("~"))  # without one it stays "~"
    cache = Path(variables.get("XDG_CACHE_HOME") or home / ".cache")
    nearest = next((p for p in (cache, *cache.parents) if os.path.lexists(p)), Path("/"))
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        fix = 'run `export HOME="$(mktemp -d)"`'
        yield Finding("home", str(cache), "a folder that cannot be written", "one that can", fix)


def _future(root: Path) -> Iterator[Finding]:
    """Find sources dated after now: whatever is made from them is older than they are."""
    limit = time.time() + CLOCK_SECONDS
    late = []
    for path in _files(root):
        try:
            if not path.is_dir() and path.lstat().st_mtime > limit:
                late.append(str(path.relative_to(root)))
        except OSError:
            continue
    if late:
        go = shlex.quote(str(root))
        fix = f"set the clock, or run `cd {go} && git ls-files -z | xargs -0 touch`"
        yield Finding("clock", listed(sorted(late)[:3]), "a date in the future", "one past", fix)


def _unreadable(root: Path) -> Iterator[Finding]:
    """Find sources that this user cannot read, and links that lead nowhere."""
    for path in _files(root):
        if not os.access(path, os.R_OK):
            name = str(path.relative_to(root))
            found = "a link that leads nowhere" if path.is_symlink() else "no leave to read it"
            quoted = shlex.quote(name)
            fix = f"run `chmod u+r {quoted}`, or `rm {quoted} && git checkout {quoted}`"
            yield Finding("files", name, found, "a file that can be read", fix)


def _unwritable(site: Site) -> Iterator[Finding]:
    """Find folders that set-up or a run here writes into, and this user cannot."""
    if not site.venv.exists():
        yield from _closed(site.root)
    for name in WRITTEN:
        yield from _closed(site.working / name)


def _closed(folder: Path) -> Iterator[Finding]:
    """Find a folder that is there and cannot be written."""
    if folder.is_dir() and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        quoted = shlex.quote(str(folder))
        found, fix = "no leave to write there", f"run `chmod u+rwx {quoted}`, or ask its owner"
        yield Finding("files", str(folder), found, "a folder that can be written", fix)


def _files(root: Path) -> Iterator[Path]:
    """List what a run reads, folders that cannot be entered among it."""
    for name in SOURCES:
        if not os.path.lexists(root / name):
            continue
        yield root / name
        for folder, folders, names in os.walk(root / name):
            folders[:] = [f for f in folders if f != "__pycache__"]
            yield from (Path(folder, entry) for entry in sorted([*folders, *names]))
