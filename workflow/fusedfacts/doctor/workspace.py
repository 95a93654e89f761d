"""The clone's files: what a killed run left, another model file, line endings that were changed."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from fusedfacts.doctor.site import Finding, Site
from fusedfacts.terminal import counted, listed

SCRIPTS = Path(".snakemake", "scripts")  # where Snakemake puts the script of a job
LOCKS = Path(".snakemake", "locks")
LOGS = Path(".snakemake", "log")  # each named after the moment at which its run began
BEGAN = "%Y-%m-%dT%H%M%S.%f.snakemake.log"
STARTED = re.compile(r"^  (Command|Working directory): (.+)$", re.MULTILINE)
HEAD = 2**16  # characters of a log, whose first lines say how its run was started
WORDS = 6  # of a command line: the interpreter with its options, then the program
CONFIG = "config.yaml"
MODEL_PARTS = ("weights", "vocabulary", "held_out", "probe")  # as the config calls them
HASH_SHOWN = 12  # digits of a hash by which a reader tells two apart
# It keeps edits, unlike a checkout, and passes over binary files (`-I`).
TO_LF = """git grep -lIz "$(printf '\\r')$" | xargs -0 sed -i 's/\\r$//'"""


def findings(site: Site) -> Iterator[Finding]:
    """Find what stands in the way of a run in the clone and in the working directory."""
    for folder in sorted({site.root.resolve(), site.working.resolve()}):
        yield from _killed_run(folder, site)
    yield from _model_files(site)
    yield from _line_endings(site.root)


def processes_of(folder: Path, processes: Path) -> tuple[list[int], list[int]]:
    """List the ids of Snakemake's runs in a folder and of their jobs, both in order.

    A job is a script that Snakemake wrote there, or Snakemake as it calls itself for one.
    """
    runs, jobs = [], []
    scripts = os.fsencode(folder / SCRIPTS) + b"/"
    for entry in processes.glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            working = Path(os.readlink(entry / "cwd"))
        except OSError:  # it ended meanwhile, or is somebody else's
            continue
        names = [os.path.basename(word) for word in words[:WORDS]]
        # `python .venv/bin/snakemake` or `python -m snakemake`; no editor with such a file.
        program = names[0].startswith((b"python", b"snakemake")) and b"snakemake" in names
        snakemake = program and working == folder
        if any(word.startswith(scripts) for word in words) or (snakemake and b"--mode" in words):
            jobs.append(int(entry.name))
        elif snakemake:
            runs.append(int(entry.name))
    return sorted(runs), sorted(jobs)


def _killed_run(folder: Path, site: Site) -> Iterator[Finding]:
    """Find jobs and locks whose run is gone; a lock names no process, so these are looked at."""
    runs, jobs = processes_of(folder, site.processes)
    locks = sorted((folder / LOCKS).glob("*.lock"))
    if runs and locks:
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(locks[0].lstat().st_mtime))
        found = f"a run at work since {since}, process {runs[0]}"
        fix = f"wait until it has ended; `ps -p {runs[0]}` shows it"
        yield Finding("snakemake", str(folder), found, "none beside another one", fix)
    if runs:
        return
    if jobs:
        numbers, kill = ", ".join(map(str, jobs)), " ".join(map(str, jobs))
        found = f"{counted(len(jobs), 'job')} of a run that was killed still at work, {numbers}"
        fix = f"wait, or run `kill {kill}`, then ask the doctor again"
        yield Finding("snakemake", str(folder / SCRIPTS), found, "none without its run", fix)
    elif locks:
        where, words = started(folder, min(lock.lstat().st_mtime for lock in locks))
        go, snakemake = (shlex.quote(str(path)) for path in (where, site.venv / "bin/snakemake"))
        found = f"{counted(len(locks), 'lock')} and no run at work here"
        expected = "none, for a run that was killed left them"
        again = " ".join([snakemake, "--rerun-incomplete", *words])
        fix = f"run `cd {go} && {' '.join([snakemake, '--unlock', *words])}`"
        fix += f", then `{again}`, which finishes it" if words else ""
        yield Finding("snakemake", str(folder / LOCKS), found, expected, fix)


def started(folder: Path, locked: float) -> tuple[Path, list[str]]:
    """Find where, and with which words, the run was started that locked a folder at that time.

    Its log says so, without quotes, so that a word with a blank comes back as two. Where there is
    no such log it was started there, and the words are unknown.
    """
    found = []
    for log in (folder / LOGS).glob("*.snakemake.log"):
        with suppress(ValueError, OSError):  # another name, or somebody else's
            began = datetime.strptime(log.name, BEGAN).timestamp()
            if began <= locked:
                found.append((began, log))
    if found:
        with suppress(OSError), max(found)[1].open(encoding="utf-8", errors="replace") as text:
            said = dict(STARTED.findall(text.read(HEAD)))
            if len(said) == 2:
                words = said["Command"].split(" ")[1:]
                return Path(said["Working directory"]), list(map(shlex.quote, words))
    return folder, []


def _model_files(site: Site) -> Iterator[Finding]:
    """Compare the model's files with the hashes in the config: with another one every run stops."""
    try:
        import yaml

        config = dict(yaml.safe_load((site.root / CONFIG).read_text(encoding="utf-8")))
    except ImportError:
        return  # then another finding says so
    except (yaml.YAMLError, ValueError, TypeError, OSError) as fault:
        found = f"what cannot be read ({type(fault).__name__})"
        fix = f"correct it, or run `git checkout {CONFIG}`"
        yield Finding("model", CONFIG, found, "settings in YAML", fix)
        return
    for part in MODEL_PARTS:
        name, wanted = config.get(part), config.get(f"{part}_sha256")
        if not (isinstance(name, str) and isinstance(wanted, str)):
            continue  # the config's schema is the run's to check
        # As a run does: a relative path is of the working directory, else of the clone.
        path = next(filter(Path.is_file, (site.working / name, site.root / name)), None)
        if path is None:
            fix = f"run `git checkout model`, or name another file as `{part}` in {CONFIG}"
            yield Finding("model", name, "no file", f"the one that `{part}` names in {CONFIG}", fix)
            continue
        try:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            continue  # what cannot be read is named among the surroundings
        if digest != wanted:
            found, expected = (f"{digits[:HASH_SHOWN]}..." for digits in (digest, wanted))
            fix = f"run `git checkout model`, or put `{part}_sha256: {digest}` into {CONFIG}"
            yield Finding("model", name, f"sha256 {found}", f"{expected} as {CONFIG} says", fix)


def _line_endings(root: Path) -> Iterator[Finding]:
    """Find text with CRLF: hashes are of bytes, so it makes every source another one."""
    words = ["git", "ls-files", "-z", "--eol"]
    # Within a hook they name another repository than the one that is asked about.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(words, cwd=root, env=own, capture_output=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return  # no git, or no clone of it
    wrong = []
    for line in filter(None, os.fsdecode(done.stdout).split("\0")):
        about, _, name = line.partition("\t")
        _, ending, attributes = about.split(None, 2)
        text = "-text" not in attributes.partition("/")[2].split()
        if text and ending in ("w/crlf", "w/mixed"):
            wrong.append(name)
    if wrong:
        fix = f"run `cd {shlex.quote(str(root))} && {TO_LF}`"
        found = "lines that end in CRLF"
        yield Finding("line endings", listed(sorted(wrong)), found, "LF", fix)
