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
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fusedfacts.documents import files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.pipeline import config as settings

SNAKEMAKE = "-m snakemake --nocolor --profile none --workflow-profile none".split()
STEERING = ("PYTHON", "SNAKEMAKE", "NUMBA")
JOB = re.compile(r"^ *(\d+) of (\d+)  \S+  (.*)$")  # pipeline.progress writes them
LABELS = "|".join((FactsError.label, ClaimError.label))
SENTENCE = re.compile(rf"^({LABELS}): (.*)$", re.MULTILINE)
# The last line of a traceback, or a job of which pipeline.progress says that it failed.
RAISED = re.compile(r"^(?:[\w.]*(?:Error|Exception)\b|\w.* failed: ).*$", re.MULTILINE)


def environment() -> dict[str, str]:
    """Take the environment but for what steers Python, its compiler or Snakemake from outside."""
    found = {key: value for key, value in os.environ.items() if not key.startswith(STEERING)}
    return {"PATH": os.defpath, **found}  # without one Snakemake does not start


def _why(folder: Path, output: str) -> FactsError:
    """Find the sentences of the jobs that failed, or take the last thing that Snakemake said.

    A build is a verdict, a ClaimError, where a job says that something does not hold; a full disk
    is none, nor is a job that was killed.
    """
    logs = sorted((folder / "results" / "logs").glob("*.log"))
    texts = [output, *(log.read_text(encoding="utf-8", errors="replace") for log in logs)]
    found = [said for text in texts for said in SENTENCE.findall(text)]
    if found:
        verdict = any(label == ClaimError.label for label, _ in found)
        sentences = "; ".join(dict.fromkeys(sentence for _, sentence in found))
        return (ClaimError if verdict else FactsError)(f"a fresh build stopped: {sentences}")
    lines = RAISED.findall(output) or output.split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "no word")
    return FactsError(
        f"a fresh build: found that Snakemake stopped ({last}), expected it to end; ask"
        " `fusedfacts doctor` what is in the way"
    )


def copy_model(config: Mapping[str, Any], root: Path, folder: Path) -> dict[str, str]:
    """Copy model files of the working directory; those outside of it are named anew.

    What is published shows of a path outside only the name, so an absolute one is the same there.
    """
    elsewhere = {}
    for part in settings.input_parts(config):
        relative = Path(config[part])
        if relative.is_absolute() or not relative.is_file():
            continue
        if ".." in relative.parts:
            elsewhere[part] = str(relative.resolve())
        elif relative.resolve() != (root / relative).resolve():
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(relative, folder / relative)
    return elsewhere


@dataclass(frozen=True)
class Builder:
    """How to build.

    Attributes
    ----------
    root : Path
        The repository.
    cores : int
        Jobs at a time.
    configs : sequence of Path
        Files that override its config.yaml.
    progress : callable
        Told of finished and all jobs, and which one ended.
    """

    root: Path
    cores: int
    configs: Sequence[Path] = ()
    progress: Callable[[int, int, str], None] = lambda done, jobs, name: None

    @cached_property
    def config(self) -> dict[str, Any]:
        """Read the config that it builds with, checked."""
        return settings.read(self.root, self.configs)

    @contextmanager
    def built(self, target: str) -> Iterator[Path]:
        """Build a file under results/ from nothing, and yield the folder `results` that it lies in.

        Model files that the config names in the working directory come along.

        Raises
        ------
        ClaimError
            If the build stops as something does not hold, with the sentence that says so.
        FactsError
            If it stops for anything else.
        """
        with tempfile.TemporaryDirectory(prefix="audit-") as name:
            folder = Path(name)
            given = [path.resolve() for path in self.configs]
            elsewhere = copy_model(self.config, self.root, folder)
            if elsewhere:
                files.write_json(folder / "elsewhere.json", elsewhere)
                given.append(folder / "elsewhere.json")
            where = ["--snakefile", str(self.root / "Snakefile"), "--directory", str(folder)]
            command = [sys.executable, *SNAKEMAKE, *where, "--cores", str(self.cores)]
            command += ["--configfile", *map(str, given)] if given else []
            code, output = self._run([*command, "--", target], folder)
            if code:
                raise _why(folder, output)
            yield folder / "results"

    def _run(self, command: list[str], folder: Path) -> tuple[int, str]:
        """Run Snakemake: exit code and all that it printed; interrupted, its jobs end with it."""
        output = ""
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
                    output += line
                    if job := JOB.match(line):
                        self.progress(int(job[1]), int(job[2]), job[3])
                return process.wait(), output
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
