"""Whether a run would find anything to do, from hashes alone: Snakemake itself is not started.

The last run left a stamp with the hash of the manifest that it published, and the manifest names
every source with its hash.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

STAMP, MANIFEST = Path("results", "published.ok"), "manifest.json"
WORKFLOW = "workflow"


@dataclass(frozen=True)
class Freshness:
    """What is to be made.

    Attributes
    ----------
    finished : bool
        Whether a run here published what lies in the published folder.
    changed : tuple of str
        Sources that are others since then.
    """

    finished: bool
    changed: tuple[str, ...] = ()


def read(root: Path, published: Path) -> Freshness:
    """Hold stamp, published files and sources against the manifest.

    Parameters
    ----------
    root : Path
        The clone.
    published : Path
        The folder that its runs replace.
    """
    try:
        content = (published / MANIFEST).read_bytes()
        manifest = json.loads(content)
        files, sources = dict(manifest["files"]), dict(manifest["inputs"])
        stamped = (root / STAMP).read_text(encoding="utf-8").strip()
    except (OSError, ValueError, TypeError, KeyError):
        return Freshness(finished=False)
    if stamped != hashlib.sha256(content).hexdigest() or _others(published, files):
        return Freshness(finished=False)
    there = (path for path in (root / WORKFLOW).rglob("*") if path.is_file())
    names = (path.relative_to(root) for path in there)
    added = {
        name.as_posix()
        for name in names
        if "__pycache__" not in name.parts and not any(part[0] == "." for part in name.parts)
    } - set(sources)
    return Freshness(True, tuple(sorted({*_others(root, sources), *added})))


def _others(folder: Path, hashes: dict[str, str]) -> list[str]:
    """Names of the files that have another hash, or are not there."""
    return [name for name, wanted in hashes.items() if _hash(folder / name) != wanted]


def _hash(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
