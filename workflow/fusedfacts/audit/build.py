"""A build from nothing, in a folder of its own.

Nothing of an earlier run and nothing published can reach it, and it can reach nothing published.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fusedfacts.documents import files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.pipeline import config as settings

Progress = Callable[[int, int], None]  # told of finished and all steps
STEERING = ("PYTHON", "SNAKEMAKE", "NUMBA")
STEPS = re.compile(r"(\d+) of (\d+) steps")
SENTENCE = re.compile(r"^error: (.*)$", re.MULTILINE)
TAIL = 5  # lines of what Snakemake printed, where no job left a sentence
PATIENCE = 10  # seconds for an interrupted build to end by itself


def no_progress(done: int, steps: int) -> None:
    """Tell nobody."""


def environment() -> dict[str, str]:
    """Take the environment but for what steers Python, its compiler or Snakemake from outside."""
    return {key: value for key, value in os.environ.items() if not key.startswith(STEERING)}


def _why(folder: Path, output: str) -> str:
    """Find the sentence of the job that failed, or take the end of what Snakemake printed."""
    found = SENTENCE.findall(output)
    for log in sorted((folder / "results" / "logs").glob("*.log")):
        found += SENTENCE.findall(log.read_text(encoding="utf-8", errors="replace"))
    if found:
        return "; ".join(dict.fromkeys(found))
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " / ".join(lines[-TAIL:]) or "nothing was said"


def copy_model(config: Mapping[str, Any], root: Path, folder: Path) -> dict[str, str]:
    """Copy model files of the working directory; those outside of it are named anew.

    What is published shows of a path outside only the name, so an absolute one is the same there.
    """
    elsewhere = {}
    for part in settings.MODEL_PARTS:
        relative = Path(config[part])
        if relative.is_absolute() or not relative.is_file():
            continue
        if ".." in relative.parts:
            elsewhere[part] = str(relative.resolve())
        elif relative.resolve() != (root / relative).resolve():
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(relative, folder / relative)
    return elsewhere


def _stop(process: subprocess.Popen[str]) -> None:
    """End the build with all its jobs."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, sign)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            continue
        return


def _run(command: list[str], folder: Path, progress: Progress) -> tuple[int, str]:
    """Run Snakemake: exit code and all that it printed; interrupted, it ends with its jobs."""
    output = []
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            for line in process.stdout or ():
                output.append(line)
                step = STEPS.search(line)
                if step:
                    progress(int(step[1]), int(step[2]))
            return process.wait(), "".join(output)
        finally:
            if process.poll() is None:
                _stop(process)


@contextmanager
def built(
    root: Path,
    target: str,
    config: Mapping[str, Any],
    cores: int,
    configs: Sequence[Path] = (),
    progress: Progress = no_progress,
) -> Iterator[Path]:
    """Build a file under results/ from nothing, and yield the folder `results` that it lies in.

    `configs` are files that override config.yaml; of the checked config, model files that it names
    in the working directory come along.

    Raises
    ------
    ClaimError
        If the build stops, with the sentence that it stopped for.
    """
    with tempfile.TemporaryDirectory(prefix="audit-") as name:
        folder = Path(name)
        given = [path.resolve() for path in configs]
        elsewhere = copy_model(config, root, folder)
        if elsewhere:
            files.write_json(folder / "elsewhere.json", elsewhere)
            given.append(folder / "elsewhere.json")
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
        command += ["--directory", str(folder), "--cores", str(cores), "--nocolor"]
        command += ["--profile", "none", "--workflow-profile", "none"]
        command += ["--configfile", *map(str, given)] if given else []
        code, output = _run([*command, "--", target], folder, progress)
        if code:
            why = _why(folder, output)
            kind = FactsError if "No module named snakemake" in why else ClaimError
            raise kind(f"a fresh build stopped: {why}")
        yield folder / "results"
