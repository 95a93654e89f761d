"""How old the locked packages are: an old pin has had time to gather known faults.

No registry offers its list of vulnerabilities offline. What can be had is the day on which the
pinned files were released; `.ci/pins.py` writes these down in `.ci/pins.json`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from fusedfacts.doctor.requirements import Pin

DATES = ".ci/pins.json"
OLD_DAYS = 365  # a year without a release is where a look at the package is due
OLDEST_SHOWN = 3


def released(pins: Sequence[Pin], lock: Mapping[str, Any]) -> dict[str, dict[str, str | None]]:
    """When the pinned files were released, from the lock file that uv writes.

    Parameters
    ----------
    pins : sequence of Pin
        requirements.txt.
    lock : mapping
        uv.lock, parsed: each package with its files, their hashes and times.

    Returns
    -------
    dict
        By name `version` and `released`: the day of the first of the files whose hash is pinned,
        or None where none of them has a time.
    """
    days: dict[str, list[str]] = {}
    for package in lock["package"]:
        files = [*package.get("wheels", []), *filter(None, [package.get("sdist")])]
        for file in files:
            if "upload-time" in file:
                days.setdefault(file["hash"], []).append(file["upload-time"][:10])
    found: dict[str, dict[str, str | None]] = {}
    for pin in pins:
        own = sorted(day for hashed in pin.hashes for day in days.get(hashed, []))
        found[pin.name] = {"version": pin.version, "released": own[0] if own else None}
    return found


@dataclass(frozen=True)
class Ages:
    """How old the pins are on one day.

    Attributes
    ----------
    oldest : tuple of (name, version, day)
        The first few.
    old : int
        Pins of more than `OLD_DAYS`.
    unknown : int
        Pins without a day.
    """

    oldest: tuple[tuple[str, str, str], ...]
    old: int
    unknown: int

    @property
    def line(self) -> str:
        """For people."""
        names = ", ".join(f"{name} {version} ({day})" for name, version, day in self.oldest)
        return f"oldest {names or 'unknown'}; {self.old} older than a year; {self.unknown} undated"


def ages(pins: Sequence[Pin], dates: Any, today: date) -> Ages:
    """How old the pins are; a day that is another version's, or no day, counts as unknown.

    >>> pin = Pin("a", "1", "", frozenset())
    >>> ages([pin], {"a": {"version": "1", "released": "2020-01-31"}}, date(2021, 2, 1)).line
    'oldest a 1 (2020-01-31); 1 older than a year; 0 undated'
    """
    known: list[tuple[date, Pin]] = []
    for pin in pins:
        day = _day(dates, pin)
        if day is not None:
            known.append((day, pin))
    known.sort(key=lambda pair: (pair[0], pair[1].name))
    return Ages(
        tuple((pin.name, pin.version, day.isoformat()) for day, pin in known[:OLDEST_SHOWN]),
        sum((today - day).days > OLD_DAYS for day, _ in known),
        len(pins) - len(known),
    )


def _day(dates: Any, pin: Pin) -> date | None:
    entry = dates.get(pin.name) if isinstance(dates, dict) else None
    if not isinstance(entry, dict) or entry.get("version") != pin.version:
        return None
    try:
        return date.fromisoformat(entry.get("released"))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
