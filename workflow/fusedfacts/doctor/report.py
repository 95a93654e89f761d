"""The examination of a site, for people and for programs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fusedfacts.doctor import environment, packages, surroundings, workspace
from fusedfacts.doctor.site import Finding, Site
from fusedfacts.terminal import Answer, listed

SCHEMA_VERSION = 2
VENV, INTERPRETER = ".venv", "this interpreter"  # whose packages were compared with the lock


def examine(site: Site) -> Answer:
    """Examine everything; workflow/schemas/doctor.schema.json describes the document."""
    # Without .venv nothing is expected of this interpreter: `make facts` will make one.
    bare = not site.venv.exists()
    folders = None if bare else sorted(site.venv.glob("lib/python*/site-packages"))
    compared = packages.compare(packages.locked(site.root), packages.installed(folders))
    adapters, trouble = environment.list_adapters(site)
    found = [
        *_looked(environment.findings, site),
        *([] if bare else compared.findings),
        *_looked(workspace.findings, site),
        *_looked(surroundings.findings, site),
    ]
    fields = "name", "installed", "locked"
    document = {
        "schema_version": SCHEMA_VERSION,
        "holds": not found,
        "python": {"version": "{}.{}.{}".format(*sys.version_info), "prefix": str(site.prefix)},
        "packages": {
            "of": INTERPRETER if bare else VENV,
            "locked": compared.locked,
            "missing": list(compared.missing),
            "other": [dict(zip(fields, other, strict=True)) for other in compared.other],
        },
        "machine": environment.machine(site.root),
        "adapters": {"names": adapters, "trouble": trouble},
        "findings": [{"look": f.topic, "sentence": f.sentence, "mend": f.fix} for f in found],
    }
    return Answer(document, lines(document), holds=not found)


def _looked(look: Callable[[Site], Iterable[Finding]], site: Site) -> Iterator[Finding]:
    """Look, and where this user may not, say so: what cannot be seen is in the way itself."""
    try:
        yield from look(site)
    except (OSError, RuntimeError) as fault:  # pathlib's for a link that leads to itself
        where = str(getattr(fault, "filename", None) or site.root)
        found = f"what cannot be looked at ({getattr(fault, 'strerror', None) or fault})"
        fix = f"run `ls -ld {shlex.quote(where)}` to see whose it is, and ask them for it"
        yield Finding("files", where, found, "leave to look", fix)


def lines(document: dict[str, Any]) -> list[str]:
    """Write the document for people: what was examined, then what is in the way."""
    python, pins, has = document["python"], document["packages"], document["machine"]
    differ = [*pins["missing"], *(package["name"] for package in pins["other"])]
    as_locked = f"{pins['locked'] - len(differ)} of {pins['locked']} in {pins['of']} as locked"
    not_so = f", not so {listed(differ)}" if differ and pins["of"] == VENV else ""
    memory, disk = (has[key] / 1e9 for key in ("memory_bytes", "free_bytes"))
    adapters = document["adapters"]
    table = {
        "Python": f"{python['version']}, {python['prefix']}",
        "packages": f"{as_locked}{not_so}",
        "machine": f"{has['cores']} cores, {memory:.1f} GB of memory, {disk:.1f} GB of disk free",
        "browser": has["browser"] or "none; `sudo apt-get install chromium` brings one",
        "adapters": "; ".join(adapters["names"]) or f"none: {adapters['trouble']}",
    }
    found = [f"- {finding['sentence']}" for finding in document["findings"]]
    return [
        *(f"{label:8}  {text}" for label, text in table.items()),
        "",
        *(["in the way:", *found] if found else ["nothing is in the way"]),
    ]
