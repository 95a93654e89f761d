"""Small clones to plant illnesses in: what the doctor reads, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys

from fusedfacts.doctor.site import Site

PACKAGES = {"numpy": "2.4.6", "jinja2": "3.1.6"}
LOCK = "".join(f"{n}=={v} \\\n    --hash=sha256:{'a' * 64}\n" for n, v in PACKAGES.items())


def write(path, text="", mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def install(root, name, version):
    """What pip leaves of a package."""
    folder = root / ".venv/lib/python3.11/site-packages" / f"{name}-{version}.dist-info"
    return write(folder / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def healthy(folder):
    """A clone that is set up and has nothing in the way, seen by its own interpreter."""
    root = folder / "clone"
    write(root / "requirements.txt", LOCK)
    write(root / "config.yaml", "publish_to: media/out\n")
    write(root / ".venv/bin/snakemake", f"#!{root}/.venv/bin/python\n")
    (root / ".venv/bin/python").symlink_to(sys.executable)
    for name, version in PACKAGES.items():
        install(root, name, version)
    (folder / "proc").mkdir()
    return Site(root, root, root / ".venv", folder / "proc")


def command_of(finding):
    """The command that a finding says fixes it."""
    return re.search(r"`([^`]+)`", finding.fix)[1]


def run_fix(finding, folder):
    """Run that command as a reader would."""
    done = subprocess.run(
        ["bash", "-c", command_of(finding)], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
