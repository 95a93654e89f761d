"""Snakemake as a user starts it, in copies of the repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from support.common import PUBLISHED, ROOT, content

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
    """Copy what a clone of the working tree would hold."""
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


def small_copy(folder):
    """Copy the repository and give it the small config as its own."""
    copy_of_repository(folder)
    config = yaml.safe_load((folder / "config.yaml").read_text())
    (folder / "config.yaml").write_text(yaml.safe_dump({**config, **SMALL}))
    return folder


def importing(clone, folder, config, *modules):
    """A workflow elsewhere that imports the clone; `modules` are names, one by default.

    Several have a prefix each, and the config a part for each.
    """
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    text = 'configfile: "config.yaml"\n'
    for name in modules or ["fused"]:
        text += f'module {name}:\n    snakefile: "{clone}/Snakefile"\n'
        text += f'    config: config["{name}"]\n    prefix: "{name}"\n' if modules else ""
        text += "    config: config\n" if not modules else ""
        text += f"use rule * from {name} as {name}_*\n"
    (folder / "Snakefile").write_text(text)
    return folder


def environment(**variables):
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**clean, **variables}


def run(folder, *arguments, command=SNAKEMAKE, **variables):
    """Run a command in a copy; stdout and stderr together."""
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def finished(folder, *arguments, **variables):
    """Run Snakemake to its end, which must be a good one."""
    done = run(folder, "--cores", "2", *arguments, **variables)
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


def planned(folder, *arguments):
    """Name the rules that a run would execute, in any order; of a section's job, the section."""
    found = set()
    for line in finished(folder, "-n", *arguments).splitlines():
        if line.startswith(("rule", "localrule")):
            rule = line.split()[-1].rstrip(":")
            found.add(rule)
        elif line.startswith("    wildcards: section="):
            found.discard(rule)
            found.add(line.partition("=")[2])
    return found


def declared(folder):
    """Map each rule that makes files to the files that it names as inputs and as outputs."""
    rules = {}
    for line in finished(folder, "--detailed-summary").splitlines():
        if line.count("\t") == 7:
            output, _, rule, _, inputs, *_ = line.split("\t")
            if rule == "section":
                rule = Path(output).stem
            needs, makes = rules.setdefault(rule, (set(), set()))
            needs.update(inputs.split(","))
            makes.add(output)
    return rules


def rerun_after(rules, path):
    """Name the rules that an edit of a file reaches, through the outputs of others."""
    changed, found = {str(path)}, set()
    while reached := {rule for rule, (needs, _) in rules.items() if needs & changed} - found:
        found |= reached
        changed |= set().union(*(rules[rule][1] for rule in reached))
    return found


def published(folder):
    """Read the published folder of a copy: bytes by name."""
    return content(folder / PUBLISHED.relative_to(ROOT))
