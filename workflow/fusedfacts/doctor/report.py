"""The examination of a site, for people and for programs."""

from __future__ import annotations

from typing import Any

from fusedfacts.doctor import environment, packages, workspace
from fusedfacts.doctor.site import Site, listed
from fusedfacts.terminal import Answer

SCHEMA_VERSION = 2
VENV, INTERPRETER = ".venv", "this interpreter"  # whose packages were compared with the lock


def examine(site: Site) -> Answer:
    """Examine everything; workflow/schemas/doctor.schema.json describes the document."""
    # Without .venv nothing is expected of this interpreter: `make facts` will make one.
    bare = not site.venv.exists()
    there = packages.installed(None if bare else environment.site_packages(site.venv))
    compared = packages.compare(packages.locked(site.root), there)
    adapters, trouble, broken = environment.list_adapters(site)
    findings = [
        *environment.findings(site),
        *([] if bare else compared.findings),
        *broken,
        *workspace.findings(site),
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "holds": not findings,
        "python": {"version": ".".join(map(str, site.version)), "prefix": str(site.prefix)},
        "packages": {
            "of": INTERPRETER if bare else VENV,
            "locked": compared.locked,
            "missing": list(compared.missing),
            "other": [
                {"name": name, "installed": found, "locked": locked}
                for name, found, locked in compared.other
            ],
        },
        "machine": environment.machine(site),
        "adapters": {"names": adapters, "trouble": trouble},
        "findings": [
            {"look": finding.topic, "sentence": finding.sentence, "mend": finding.fix}
            for finding in findings
        ],
    }
    return Answer(document, lines(document), holds=not findings)


def lines(document: dict[str, Any]) -> list[str]:
    """Write the document for people: what was examined, then what is in the way."""
    python, pins, has = document["python"], document["packages"], document["machine"]
    differ = [*pins["missing"], *(package["name"] for package in pins["other"])]
    as_locked = f"{pins['locked'] - len(differ)} of {pins['locked']} in {pins['of']} as locked"
    not_so = f", not so {listed(differ)}" if differ and pins["of"] == VENV else ""
    memory = has["memory_bytes"]
    known = "memory unknown" if memory is None else f"{memory / 1e9:.1f} GB of memory"
    adapters = document["adapters"]
    table = {
        "Python": f"{python['version']}, {python['prefix']}",
        "packages": f"{as_locked}{not_so}",
        "machine": f"{has['cores']} cores, {known}, {has['free_bytes'] / 1e9:.1f} GB of disk free",
        "browser": has["browser"] or "none; `sudo apt-get install chromium` brings one",
        "adapters": "; ".join(adapters["names"]) or f"none: {adapters['trouble']}",
    }
    found = [f"- {finding['sentence']}" for finding in document["findings"]]
    return [
        *(f"{label:8}  {text}" for label, text in table.items()),
        "",
        *(["in the way:", *found] if found else ["nothing is in the way"]),
    ]
