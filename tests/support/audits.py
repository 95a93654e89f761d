"""Audits as tests ask for them: of a folder, against this repository or a copy of it."""

from __future__ import annotations

import json
import subprocess
import sys

from fusedfacts.audit import fresh, run, subject
from fusedfacts.pipeline import config as settings

from support.common import PUBLISHED, ROOT
from support.workflow_runs import environment

WHERE = PUBLISHED.relative_to(ROOT)


def read(folder, root=ROOT):
    """A published folder as the audit reads it."""
    return subject.read(folder / "facts.json", root, settings.read(root))


def faults(results):
    """Every fault, after the name of the check that found it."""
    return [
        f"{result.name}: {fault}"
        for result in results
        if result.verdict == "does not hold"
        for fault in result.faults
    ]


def quickly(folder, root=ROOT):
    """What the quick audit finds wrong with a folder."""
    return faults(run.quick(read(folder, root)))


def against(folder, results=PUBLISHED, root=ROOT):
    """What the full audit finds wrong with a folder, where `results` is what was built afresh.

    The published folder itself is such a result: a test of the workflow builds it on many machines.
    """
    return faults(fresh.compare(read(folder, root), results))


def by_command(copy, *options):
    """What the command finds wrong in a copy of the repository, with that copy's own library."""
    done = subprocess.run(
        [sys.executable, "-m", "fusedfacts", "audit", "--json", *options],
        cwd=copy,
        env=environment(PYTHONPATH=str(copy / "workflow")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    if done.returncode == 2:
        return [done.stderr.strip()]
    checks = json.loads(done.stdout)["checks"]
    return [
        f"{c['name']}: {f}" for c in checks if c["verdict"] == "does not hold" for f in c["faults"]
    ]
