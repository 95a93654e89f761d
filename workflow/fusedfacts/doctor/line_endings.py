"""Text files whose line endings a checkout, an archive or an editor changed.

Hashes are of bytes, so CRLF would make every source another one.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from fusedfacts.doctor.finding import LISTED_MOST, Finding, listed, quoted

LOOK = "line endings"
CRLF = b"\r\n"
NO_SOURCE = (
    *(".git", ".venv", ".snakemake", "results", "__pycache__"),
    *(".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
)
GIT_SECONDS = 20  # a repository of a few hundred files answers in a hundredth of one
# Both keep edits, unlike a checkout, and pass over binary files (`-I`), as all are here that git is
# told to leave alone. Git knows its own files; without it their folders are named.
IN_CLONE = """git grep -lIz "$(printf '\\r')$" | xargs -0 sed -i 's/\\r$//'"""
IN_ARCHIVE = """grep -rlIZ "$(printf '\\r')$" {} | xargs -0 sed -i 's/\\r$//'"""


def git(root: Path, *words: str) -> str | None:
    """What git says, or None without git or outside a clone."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=root, capture_output=True, timeout=GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", errors="replace") if done.returncode == 0 else None


def look(root: Path) -> list[Finding]:
    """One sentence about all such files."""
    wrong = sorted(changed(root))
    if not wrong:
        return []
    setting = (git(root, "config", "core.autocrlf") or "").strip()
    more = ", then `git config core.autocrlf false`" if setting == "true" else ""
    return [
        Finding(
            LOOK, listed(wrong), "lines that end in CRLF", "LF", f"run `{_mend(wrong, root)}`{more}"
        ),
    ]


def _mend(wrong: Sequence[str], root: Path) -> str:
    """The command for a few files or for many."""
    if len(wrong) <= LISTED_MOST:
        return f"sed -i 's/\\r$//' {quoted(wrong)}"
    if _in_clone(root):
        return IN_CLONE
    return IN_ARCHIVE.format(quoted(sorted({name.partition("/")[0] for name in wrong})))


def _in_clone(root: Path) -> bool:
    return (root / ".git").exists() and git(root, "rev-parse") is not None


def changed(root: Path) -> Iterator[str]:
    """Paths of text files with CRLF; what git is told to leave alone (`-text`) is not text."""
    said = git(root, "ls-files", "-z", "--eol") if (root / ".git").exists() else None
    if said is None:
        yield from (name for name in walked(root) if _is_crlf_text(root / name))
        return
    for line in filter(None, said.split("\0")):
        about, _, name = line.partition("\t")
        _, working, attributes = about.split(None, 2)
        if working in ("w/crlf", "w/mixed") and "-text" not in attributes.split("/")[-1].split():
            yield name


def walked(root: Path) -> Iterator[str]:
    """The files of a tree that an archive would hold."""
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if name not in NO_SOURCE]
        for name in names:
            path = Path(folder, name)
            if path.is_file():
                yield path.relative_to(root).as_posix()


def _is_crlf_text(path: Path) -> bool:
    content = path.read_bytes()
    return CRLF in content and b"\0" not in content
