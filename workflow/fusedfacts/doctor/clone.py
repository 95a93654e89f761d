"""What the two commands will do in this clone, read from its own files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fusedfacts.doctor.finding import listed
from fusedfacts.doctor.freshness import Freshness

PUBLISH_TO = re.compile(r"^publish_to: *([^#\n]+?) *(?:#.*)?$", re.MULTILINE)
PUBLISH_TO_SHIPPED = "media/school/fused"


@dataclass(frozen=True)
class Clone:
    """What lies before whoever runs them.

    Attributes
    ----------
    ready : bool
        Whether `make facts` finds its environment set up.
    publishes_to : str
        The folder that is replaced last.
    """

    ready: bool
    publishes_to: str


def read(root: Path) -> Clone:
    """Read the set-up's stamp and the config; a file that is not there says nothing."""
    lock = root / "requirements.txt"
    stamp = root / ".venv" / "ready"
    ready = stamp.exists() and (
        (root / ".venv").is_symlink()
        or (_made_here(stamp, root) and lock.exists() and _newer(stamp, lock))
    )
    config = root / "config.yaml"
    text = config.read_text(encoding="utf-8", errors="replace") if config.exists() else ""
    named = PUBLISH_TO.search(text)
    return Clone(ready, named[1] if named else PUBLISH_TO_SHIPPED)


def _made_here(stamp: Path, root: Path) -> bool:
    """As the Makefile reads it: the folder of an older, empty stamp is not known."""
    folder = stamp.read_text(encoding="utf-8", errors="replace").strip()
    return folder in ("", str(root.resolve()))


def _newer(stamp: Path, lock: Path) -> bool:
    return stamp.stat().st_mtime >= lock.stat().st_mtime


def make_facts(clone: Clone, packages: int, made: Freshness) -> str:
    """What `make facts` will do.

    >>> plan = Clone(ready=True, publishes_to="media")
    >>> make_facts(plan, 90, Freshness(finished=True))
    'uses .venv; nothing to do'
    >>> make_facts(plan, 90, Freshness(finished=True, changed=("config.yaml",)))
    'uses .venv; runs what hangs on config.yaml, then replaces media'
    """
    first = "uses .venv" if clone.ready else f"makes .venv and installs {packages} packages"
    if made.finished and not made.changed:
        return f"{first}; nothing to do"
    what = f"what hangs on {listed(made.changed)}" if made.finished else "all that is not made yet"
    return f"{first}; runs {what}, then replaces {clone.publishes_to}"


def make_test(browser: bool, device: bool) -> str:
    """What `make test` will do.

    >>> make_test(browser=False, device=True)
    'runs all but those of pictures and page, for want of a browser'
    """
    without = [
        f"those of {which}, for want of a {what}"
        for which, what, there in (
            ("pictures and page", "browser", browser),
            ("kernels", "device", device),
        )
        if not there
    ]
    return f"runs all but {' and '.join(without)}" if without else "runs all, none skipped"
