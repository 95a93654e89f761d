"""The model's files against the hashes that the config gives: with another one every run stops."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from fusedfacts.doctor.finding import Finding
from fusedfacts.doctor.place import Place

LOOK = "model"
CONFIG = "config.yaml"
PARTS = ("weights", "vocabulary", "held_out", "probe")  # as the config calls them
SHOWN = 12  # digits of a hash by which a reader tells two apart
MEND_CONFIG = "correct it, or run `git checkout config.yaml`"


def look(place: Place) -> list[Finding]:
    """What differs; where there is no PyYAML yet the config cannot be read, and nothing is said."""
    try:
        import yaml
    except ImportError:
        return []
    # Besides its own errors, what PyYAML raises on malformed scalars and endless nesting.
    malformed = (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError)
    try:
        config = yaml.safe_load((place.root / CONFIG).read_text(encoding="utf-8"))
    except OSError as fault:
        return [_unreadable(fault.strerror)]
    except malformed as fault:
        return [_unreadable(type(fault).__name__)]
    if not isinstance(config, dict):
        return [_unreadable("no settings")]
    return [finding for part in PARTS for finding in _other(part, config, place)]


def _unreadable(why: str | None) -> Finding:
    return Finding(LOOK, CONFIG, f"what cannot be read ({why})", "settings in YAML", MEND_CONFIG)


def _other(part: str, config: dict[Any, Any], place: Place) -> Iterator[Finding]:
    """A file that is missing or has another hash; the config's schema is the run's to check."""
    name, wanted = config.get(part), config.get(f"{part}_sha256")
    if not (isinstance(name, str) and isinstance(wanted, str)):
        return
    # As a run does: a relative path is of the working directory, else of the clone.
    for path in (place.working / name, place.root / name):
        if path.is_file():
            found = hashlib.sha256(path.read_bytes()).hexdigest()
            break
    else:
        mend = f"run `git checkout model`, or name another file as `{part}` in {CONFIG}"
        yield Finding(LOOK, name, "no file", f"the one that `{part}` names in {CONFIG}", mend)
        return
    if found != wanted:
        yield Finding(
            LOOK,
            name,
            f"sha256 {found[:SHOWN]}...",
            f"{wanted[:SHOWN]}... as {CONFIG} says",
            f"run `git checkout model`, or put `{part}_sha256: {found}` into {CONFIG}",
        )
