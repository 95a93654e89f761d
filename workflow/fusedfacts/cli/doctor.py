"""Show what this machine has, and what is wrong with the set-up.

Each thing that is wrong is one sentence with the command that mends it. No
package needs to be installed: in a fresh clone
`PYTHONPATH=workflow python3 -m fusedfacts doctor` answers as well. Exit code 0
when nothing is in the way, else 1.
"""

from __future__ import annotations

import argparse

from fusedfacts.doctor import report, site
from fusedfacts.documents import repository
from fusedfacts.terminal import Answer


def arguments(parser: argparse.ArgumentParser) -> None:
    """It takes nothing."""


def run(options: argparse.Namespace) -> Answer:
    """Examine this clone and this machine."""
    repository.require_clone("doctor")
    return report.examine(site.here())
