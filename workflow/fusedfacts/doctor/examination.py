"""All looks together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from fusedfacts.doctor import (
    adapters,
    clone,
    freshness,
    interpreter,
    killed_runs,
    leftovers,
    line_endings,
    machine,
    model_files,
    packages,
    pins,
    requirements,
)
from fusedfacts.doctor.finding import Finding
from fusedfacts.doctor.place import Place
from fusedfacts.documents import canonical_json
from fusedfacts.errors import FactsError

VENV, INTERPRETER = ".venv", "this interpreter"  # whose packages were looked at


@dataclass(frozen=True)
class Examination:
    """What was seen of a place, and what is in the way there.

    Attributes
    ----------
    packages_of : str
        Whose packages were held against the lock.
    """

    packages_of: str
    held: packages.Held
    ages: pins.Ages
    machine: machine.Machine
    adapters: adapters.Adapters
    clone: clone.Clone
    made: freshness.Freshness
    findings: list[Finding]


def examined(place: Place, today: date, listing: adapters.Adapters) -> Examination:
    """Look at everything.

    Parameters
    ----------
    place : Place
    today : date
        For the age of the pins; nothing that is published hangs on it.
    listing : Adapters
        What `adapters.asked` found.
    """
    locked, malformed = _locked(place)
    # Without .venv nothing is expected of this interpreter: `make facts` will make one.
    fresh = not place.venv.exists()
    there = packages.installed(None if fresh else interpreter.site_packages(place.venv))
    held = packages.held(locked, there, requirements.here())
    plan = clone.read(place.root)
    has = machine.has(place.root, place.environment)
    published = place.root / plan.publishes_to
    found = [
        *interpreter.look(place),
        *malformed,
        *([] if fresh else packages.look(held)),
        *machine.look(place.root, published, has),
        *adapters.look(listing),
        *killed_runs.look(place),
        *model_files.look(place),
        *line_endings.look(place.root),
        *leftovers.look(place, published),
    ]
    ages = pins.ages(locked, _dates(place), today)
    return Examination(
        packages_of=INTERPRETER if fresh else VENV,
        held=held,
        ages=ages,
        machine=has,
        adapters=listing,
        clone=plan,
        made=freshness.read(place.root, published),
        findings=found,
    )


def _locked(place: Place) -> tuple[list[requirements.Pin], list[Finding]]:
    """The pins, or why there are none."""
    lock = place.root / requirements.LOCK
    try:
        found = requirements.parsed(lock.read_text(encoding="utf-8"))
        for pin in found:
            requirements.applies(pin.marker, requirements.here())
    except (OSError, UnicodeDecodeError, FactsError) as fault:
        said = fault.args[0] if isinstance(fault, FactsError) else fault
        unreadable = f"what cannot be read ({said})"
        return [], [Finding("lock", lock.name, unreadable, "pins with hashes", requirements.MEND)]
    return found, []


def _dates(place: Place) -> object:
    """The pins' dates; where they cannot be read, the ages are unknown and say so."""
    try:
        return canonical_json.read(place.root / pins.DATES)
    except FactsError:
        return {}
