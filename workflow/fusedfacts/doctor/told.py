"""An examination for people and for programs."""

from __future__ import annotations

from typing import Any

from fusedfacts.doctor import clone
from fusedfacts.doctor.examination import VENV, Examination
from fusedfacts.doctor.finding import listed
from fusedfacts.doctor.place import Place

GB = 1e9


def document(place: Place, seen: Examination) -> dict[str, Any]:
    """For programs: workflow/schemas/doctor.schema.json describes it."""
    has = seen.machine
    return {
        "schema_version": 1,
        "holds": not seen.findings,
        "python": {"version": _version(place), "prefix": str(place.prefix)},
        "packages": {
            "of": seen.packages_of,
            "locked": seen.held.wanted,
            "missing": list(seen.held.missing),
            "other": [
                {"name": name, "installed": there, "locked": locked}
                for name, there, locked in seen.held.other
            ],
            "unlocked": seen.held.unlocked,
        },
        "pins": {
            "oldest": [
                {"name": name, "version": version, "released": day}
                for name, version, day in seen.ages.oldest
            ],
            "older_than_a_year": seen.ages.old,
            "undated": seen.ages.unknown,
        },
        "machine": {
            "cores": has.cores,
            "memory_bytes": has.memory,
            "free_bytes": has.free,
            "tools": dict(has.tools),
            "browser": has.browser,
        },
        "adapters": {"names": list(seen.adapters.names), "trouble": seen.adapters.trouble or None},
        "will": dict(zip(("make facts", "make test"), _plans(seen), strict=True)),
        "findings": [
            {"look": finding.look, "sentence": finding.sentence, "mend": finding.mend}
            for finding in seen.findings
        ],
    }


def lines(place: Place, seen: Examination) -> list[tuple[str, str]]:
    """For people: what was looked at, and what was seen."""
    has, held = seen.machine, seen.held
    as_locked = held.wanted - len(held.missing) - len(held.other)
    differ = [*held.missing, *(name for name, _, _ in held.other)]
    if seen.packages_of != VENV:
        differ = []  # `make facts` will bring them, into an environment of its own
    memory = "memory unknown" if has.memory is None else f"{has.memory / GB:.1f} GB of memory"
    facts, tests = _plans(seen)
    return [
        ("Python", f"{_version(place)}, {place.prefix}"),
        (
            "packages",
            f"{as_locked} of {held.wanted} in {seen.packages_of} as locked"
            + (f", not so {listed(differ)}" if differ else "")
            + f"; {held.unlocked} besides",
        ),
        ("pins", seen.ages.line),
        ("machine", f"{has.cores} cores, {memory}, {has.free / GB:.1f} GB of disk free"),
        ("tools", ", ".join(f"{name}: {path or 'none'}" for name, path in has.tools.items())),
        ("browser", has.browser or "none; `sudo apt-get install chromium` brings one"),
        ("adapters", "; ".join(seen.adapters.names) or f"none: {seen.adapters.trouble}"),
        ("make facts", facts),
        ("make test", tests),
    ]


def _version(place: Place) -> str:
    return ".".join(map(str, place.version))


def _plans(seen: Examination) -> tuple[str, str]:
    return (
        clone.make_facts(seen.clone, seen.held.wanted, seen.made),
        clone.make_test(seen.machine.browser is not None, bool(seen.adapters.names)),
    )
