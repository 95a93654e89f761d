"""Snakemake as a user starts it, in copies of the repository."""

import os
import shutil
import subprocess
import sys

from support.common import PUBLISHED, ROOT

SNAKEMAKE = [sys.executable, "-m", "snakemake"]
# A run of a few seconds, for tests that are not about the numbers.
SMALL = {
    "n_values": [3, 64],
    "head_dims": [16],
    "online_rows": 2,
    "online_length": 30,
    "record_rows": 64,
    "record_lengths": [8],
    "film": False,  # it speaks of larger sizes
}


def copy_of_repository(folder):
    """What a clone of the working tree would hold."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def environment(**variables):
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**clean, **variables}


def run(folder, *arguments, command=SNAKEMAKE, **variables):
    """A command in a copy; stdout and stderr together."""
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def planned(folder, *arguments):
    """The rules that a run would execute, in any order."""
    done = run(folder, "-n", "--cores", "1", *arguments)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    return {
        line.split()[-1].rstrip(":") for line in lines if line.startswith(("rule", "localrule"))
    }


def published(folder):
    where = folder / PUBLISHED.relative_to(ROOT)
    return {
        str(path.relative_to(where)): path.read_bytes()
        for path in where.rglob("*")
        if path.is_file()
    }
