"""Compiled code is never stale, clones share it, and it costs only time where it cannot be kept."""

import ast
import os
import shutil
import subprocess
import sys

import pytest
from fusedfacts.numerics import jit
from support.common import ROOT

LIBRARY = ROOT / "workflow" / "fusedfacts"
RUN = """
import numpy as np
from fusedfacts.emulator import launch
from fusedfacts.numerics import rng
x = rng.normal(1, 0, (5, 16))
print(launch.fused(x, x, x).traffic())
"""
# Loaded rather than compiled: what the dispatchers say of themselves.
HITS = """
from fusedfacts.emulator import fused
from numba.core.dispatcher import Dispatcher
loops = [x for x in vars(fused).values() if isinstance(x, Dispatcher) and x.overloads]
assert loops
print(sum(x.stats.cache_misses[s] for x in loops for s in x.stats.cache_misses))
"""


def library(folder):
    skip = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(LIBRARY, folder / "fusedfacts", ignore=skip)


def output(folder, cache, program=RUN):
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        env={**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A cache that one process has filled."""
    cache = tmp_path_factory.mktemp("cache")
    assert "'k': {'loads': 80, 'stores': 0}" in output(LIBRARY.parent, cache)
    return cache


def test_a_copy_of_the_library_shares_the_compiled_code(tmp_path, warm):
    library(tmp_path)
    assert output(tmp_path, warm, RUN + HITS).splitlines()[-1] == "0"


def test_an_edit_of_an_inlined_function_in_another_module_is_not_missed(tmp_path, warm):
    memory = library(tmp_path) / "emulator" / "memory.py"
    text = memory.read_text()
    counted = "counts[buffer, LOADS] += taken.size"
    assert counted in text
    memory.write_text(text.replace(counted, "counts[buffer, LOADS] += taken.size + 1"))
    assert "'k': {'loads': 81, 'stores': 0}" in output(tmp_path, warm)


@pytest.mark.parametrize("length", [0, 1, 40])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_an_empty_or_cut_file_is_compiled_anew(tmp_path, warm, kind, length):
    cache = shutil.copytree(warm, tmp_path / "cache")
    damaged = sorted(cache.rglob(f"*.{kind}"))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:length])
    assert "'k': {'loads': 80, 'stores': 0}" in output(LIBRARY.parent, cache)
    assert output(LIBRARY.parent, cache, RUN + HITS).splitlines()[-1] == "0"


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert "'k': {'loads': 80, 'stores': 0}" in output(LIBRARY.parent, tmp_path / "file")


def test_the_digest_depends_on_what_is_compiled_and_on_nothing_else(tmp_path):
    folder = library(tmp_path)
    for path in sorted(folder.rglob("*.py")):
        before = jit.source_digest.__wrapped__(folder)
        path.write_text(path.read_text() + "\n")
        compiles = path.relative_to(folder).parts[0] in jit.ROOMS
        assert (jit.source_digest.__wrapped__(folder) != before) == compiles, path


def test_no_other_room_compiles():
    for path in LIBRARY.rglob("*.py"):
        names = {
            node.module
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom)
        }
        if "fusedfacts.numerics.jit" in names:
            assert path.relative_to(LIBRARY).parts[0] in jit.ROOMS, path
