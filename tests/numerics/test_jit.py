"""Compiled code is never stale, and a folder that cannot be written costs only time."""

import os
import shutil
import subprocess
import sys

from fusedfacts.numerics import jit
from support.common import ROOT

PROGRAM = (
    "import numpy as np\n"
    "from fusedfacts import seeded\n"
    "from fusedfacts.emulator import run\n"
    "x = seeded.normal(1, 0, (5, 16))\n"
    "print(run.fused(x, x, x).traffic())\n"
)


def library(tmp_path):
    shutil.copytree(
        ROOT / "workflow" / "fusedfacts",
        tmp_path / "fusedfacts",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return tmp_path / "fusedfacts"


def output(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_edit_of_an_inlined_function_in_another_module_is_not_missed(tmp_path):
    folder = library(tmp_path)
    assert "'k': {'loads': 80, 'stores': 0}" in output(tmp_path)
    memory = folder / "emulator" / "memory.py"
    text = memory.read_text()
    counted = "counts[buffer, LOADS] += taken.size"
    assert counted in text
    memory.write_text(text.replace(counted, "counts[buffer, LOADS] += taken.size + 1"))
    assert "'k': {'loads': 81, 'stores': 0}" in output(tmp_path)


def test_a_library_whose_folder_cannot_be_written_still_runs(tmp_path):
    folder = library(tmp_path)
    (folder / "__pycache__").write_text("in the way")
    assert "'k': {'loads': 80, 'stores': 0}" in output(tmp_path)


def test_the_digest_depends_on_every_file(tmp_path, monkeypatch):
    folder = library(tmp_path)
    monkeypatch.setattr(jit, "LIBRARY", folder)
    digests = {jit.source_digest()}
    files = sorted(folder.rglob("*.py"))
    for path in files:
        path.write_text(path.read_text() + "\n")
        digests.add(jit.source_digest())
    assert len(digests) == len(files) + 1
