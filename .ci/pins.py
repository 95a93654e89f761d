"""Write .ci/pins.json: the day on which each locked package was released.

    python .ci/pins.py [OPTION OF uv lock ...]

For whoever updates requirements.txt; nothing else runs it. uv asks the index that it is set up
for, and its lock file names the time of every file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from fusedfacts.doctor import pins, requirements  # noqa: E402
from fusedfacts.documents import files  # noqa: E402


def project(locked: list[requirements.Pin]) -> str:
    """A project that needs exactly the locked packages."""
    needs = "".join(
        f'  "{pin.name}=={pin.version}{f" ; {pin.marker}" if pin.marker else ""}",\n'
        for pin in locked
    )
    head = '[project]\nname = "pins"\nversion = "0"\nrequires-python = ">=3.11"\n'
    return f"{head}dependencies = [\n{needs}]\n"


def main(options: list[str]) -> None:
    """Ask, and write."""
    if not shutil.which("uv"):
        sys.exit("error: uv: not found, expected it on the path; install the package uv")
    locked = requirements.parsed((ROOT / requirements.LOCK).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pyproject.toml").write_text(project(locked), encoding="utf-8")
        subprocess.run(["uv", "lock", *options], cwd=folder, check=True)
        document = tomllib.loads((Path(folder) / "uv.lock").read_text(encoding="utf-8"))
    found = pins.released(locked, document)
    files.write_json(ROOT / pins.DATES, found)
    undated = [name for name, entry in found.items() if entry["released"] is None]
    print(f"{pins.DATES}: {len(found)} packages, no date for {', '.join(undated) or 'none'}")


if __name__ == "__main__":
    main(sys.argv[1:])
