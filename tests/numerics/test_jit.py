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
# One loop that takes another module's function in, and compiles in a second. What the dispatcher
# says of itself tells whether it was compiled or loaded.
TAKES_IN = """
import numpy as np
from fusedfacts.numerics.jit import compiled, inlined

@inlined
def step():
    return 1
"""
LOOP = """
import numpy as np
from fusedfacts.numerics.jit import compiled
from fusedfacts.numerics.step import step

@compiled
def count(n):
    total = 0
    for _ in range(n):
        total += step()
    return total
"""
RUN = """
from fusedfacts import terminal
from fusedfacts.numerics.loop import count
said = []
terminal.waiting.append(said.append)
print(count(8), sum(count.stats.cache_misses.values()))
# Whoever waits is told of what is compiled, and of nothing that is loaded.
assert len(said) == sum(count.stats.cache_misses.values())
"""


def library(folder):
    """A library of two modules, beside the ones that compile."""
    copy = folder / "fusedfacts"
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(LIBRARY / "numerics", copy / "numerics", ignore=skip)
    for room in ("attention", "emulator"):
        (copy / room).mkdir()
    for name in ("__init__.py", "errors.py", "terminal.py"):
        shutil.copy(LIBRARY / name, copy)
    (copy / "numerics" / "step.py").write_text(TAKES_IN)
    (copy / "numerics" / "loop.py").write_text(LOOP)
    return copy


def output(folder, cache, before=""):
    """What one process counts, and how many loops it had to compile."""
    paths = os.pathsep.join([str(folder), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-B", "-c", before + RUN],
        env={**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A cache that one process has filled."""
    cache = tmp_path_factory.mktemp("cache")
    library(cache / "one")
    assert output(cache / "one", cache) == ["8", "1"]
    return cache


def test_a_copy_of_the_library_shares_the_compiled_code(tmp_path, warm):
    library(tmp_path)
    assert output(tmp_path, warm) == ["8", "0"]


def test_an_edit_of_an_inlined_function_in_another_module_is_not_missed(tmp_path, warm):
    step = library(tmp_path) / "numerics" / "step.py"
    step.write_text(TAKES_IN.replace("return 1", "return 2"))
    assert output(tmp_path, warm) == ["16", "1"]


@pytest.mark.parametrize(("kind", "length"), [("nbi", 0), ("nbi", 40), ("nbc", 40)])
def test_an_empty_or_cut_file_is_compiled_anew(tmp_path, warm, kind, length):
    cache = shutil.copytree(warm, tmp_path / "cache")
    damaged = sorted(cache.rglob(f"*.{kind}"))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:length])
    assert output(warm / "one", cache) == ["8", "1"]
    assert output(warm / "one", cache) == ["8", "0"]


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path, warm):
    (tmp_path / "file").write_text("in the way")
    assert output(warm / "one", tmp_path / "file") == ["8", "1"]


# A user whom modes bind, which they do not a root that runs the tests.
BOUND = "from support.modes import drop_privileges; drop_privileges()"


@pytest.mark.parametrize("length", [None, 0, 40])
@pytest.mark.parametrize("mode", [0, 0o555])
def test_nor_does_one_whose_modes_forbid_it_and_whose_index_is_cut(tmp_path, warm, mode, length):
    cache = shutil.copytree(warm, tmp_path / "cache")
    shared = cache / "fused-facts"
    places = [*shared.iterdir(), shared]  # from within, for a closed folder hides what it holds
    for index in cache.rglob("*.nbi"):
        index.write_bytes(index.read_bytes()[:length])
    for place in places:
        place.chmod(mode)
    found = output(warm / "one", cache, BOUND)
    for place in reversed(places):
        place.chmod(0o755)
    assert found == ["8", "0" if mode and length is None else "1"]


def test_the_digest_depends_on_what_is_compiled_and_on_nothing_else(tmp_path):
    folder = shutil.copytree(
        LIBRARY, tmp_path / "fusedfacts", ignore=shutil.ignore_patterns("__pycache__")
    )
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
