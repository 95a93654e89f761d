"""Which devices WebGPU finds, asked in another process: a driver may crash or never answer."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fusedfacts.doctor.finding import Finding
from fusedfacts.doctor.place import Place

LOOK = "adapters"
SECONDS = 30  # a driver's first start, from a cold disk, takes a few
LIST = ("-m", "fusedfacts.device")
MEND = (
    "update the driver, or leave it out and use Mesa's alone: `export"
    " VK_DRIVER_FILES=$(echo /usr/share/vulkan/icd.d/lvp_icd*.json)`"
)


@dataclass(frozen=True)
class Adapters:
    """What was found.

    Attributes
    ----------
    names : tuple of str
        One line for each.
    trouble : str
        Why there are none; empty if there are.
    broken : bool
        Whether the driver crashed or hung, which tests on a device would, too.
    """

    names: tuple[str, ...] = ()
    trouble: str = ""
    broken: bool = False


def command(place: Place) -> list[str]:
    """The interpreter of the clone, or this one where the clone has none yet."""
    own = place.venv / "bin" / "python"
    return [str(own) if own.exists() else sys.executable, *LIST]


def asked(
    words: Sequence[str], root: Path, environment: Mapping[str, str], seconds: float = SECONDS
) -> Adapters:
    """Run the listing and read its answer."""
    try:
        done = subprocess.run(
            list(words),
            cwd=root,
            env={**environment, "PYTHONPATH": str(root / "workflow")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Adapters(trouble=f"no answer within {seconds:g} s", broken=True)
    except OSError as fault:
        return Adapters(trouble=f"the listing could not start ({fault.strerror})")
    lines = [line for line in _text(done.stdout).splitlines() if line]
    if done.returncode == 0:
        return Adapters(names=tuple(lines))
    if done.returncode < 0:
        return Adapters(trouble=f"a crash ({_signal(-done.returncode)})", broken=True)
    said = [line for line in _text(done.stderr).splitlines() if line.strip()] or ["no word"]
    if said[-1].startswith("ModuleNotFoundError"):
        return Adapters(trouble="not to be asked before `make facts` has installed the packages")
    return Adapters(trouble=said[-1].removeprefix("error: "))


def _text(output: bytes) -> str:
    return output.decode("utf-8", errors="replace")


def _signal(number: int) -> str:
    known = {item.value: item.name for item in signal.Signals}
    return known.get(number, f"signal {number}")


def look(found: Adapters) -> list[Finding]:
    """A device that is missing is no illness, for the facts need none; a broken driver is one."""
    if not found.broken:
        return []
    return [Finding(LOOK, "adapters", found.trouble, "a list of devices or none", MEND)]
