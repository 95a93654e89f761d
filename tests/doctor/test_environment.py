"""An interpreter, an environment or a library from elsewhere, and a driver that crashes."""

import os
import shutil
from dataclasses import replace

import pytest
from fusedfacts.doctor import environment
from fusedfacts.doctor.site import ACTIVATE, REINSTALL
from support.doctor_clones import healthy, write


@pytest.fixture
def site(tmp_path):
    return healthy(tmp_path)


def sentences(site):
    return [finding.sentence for finding in environment.findings(site)]


def test_a_clone_s_own_environment_is_fine_behind_a_link_too(site, tmp_path):
    assert sentences(site) == []
    shutil.move(site.venv, tmp_path / "elsewhere")
    site.venv.symlink_to(tmp_path / "elsewhere")
    assert sentences(site) == []


def test_a_fresh_clone_may_be_examined_by_any_interpreter(site):
    shutil.rmtree(site.venv)
    assert sentences(replace(site, prefix=site.root.parent)) == []


def test_an_old_python_and_one_from_elsewhere(site, tmp_path):
    assert sentences(replace(site, version=(3, 10, 4), prefix=tmp_path)) == [
        "Python: found version 3.10.4, expected 3.11 or newer; run `make facts PYTHON=python3.12`,"
        " or name another that is new enough",
        f"Python: found that of {tmp_path}, expected that of this clone's .venv; {ACTIVATE}",
    ]


@pytest.mark.parametrize(
    "beginning",
    [
        "#!{}/bin/python3.11\n",
        '#!"{}/bin/python"\n',
        "#!/bin/sh\n'''exec' {}/bin/python3 \"$0\" \"$@\"\n' '''\n",
        "#!/bin/sh\n'''exec' \"{}/bin/python\" \"$0\" \"$@\"\n' '''\n",
    ],
)
def test_an_environment_that_was_moved(site, tmp_path, beginning):
    old = tmp_path / "old place" / ".venv" if '"{}' in beginning else tmp_path / "old" / ".venv"
    write(site.venv / "bin/snakemake", beginning.format(old))
    assert sentences(site) == [
        f".venv/bin/snakemake: found a script of {old}: the environment was moved or copied,"
        f" expected one of this clone's .venv; {REINSTALL}"
    ]
    for own in (beginning.format(site.venv), "#!/usr/bin/env python3\n", "\0\1"):
        write(site.venv / "bin/snakemake", own)
        assert sentences(site) == []


def test_of_a_moved_clone_nobody_is_told_to_activate_its_environment(site, tmp_path):
    moved = tmp_path / "moved"
    shutil.move(site.root, moved)
    (sentence,) = sentences(replace(site, root=moved, working=moved, prefix=tmp_path))
    assert f"a script of {site.venv}" in sentence
    assert sentence.endswith(REINSTALL)


def test_an_interpreter_that_was_removed(site):
    python = site.venv / "bin/python"
    python.unlink()
    python.symlink_to("/no/python3.11")
    assert sentences(site) == [
        f".venv/bin/python: found /no/python3.11, not there, expected an interpreter; {REINSTALL}"
    ]


def test_another_clone_s_library(site, tmp_path):
    write(tmp_path / "other/workflow/fusedfacts/__init__.py")
    other = f"{tmp_path}/other/workflow"
    for harmless in ("", str(site.root / "workflow"), str(tmp_path), "workflow"):
        assert sentences(replace(site, variables={"PYTHONPATH": harmless})) == []
    both = os.pathsep.join([str(site.root / "workflow"), other])
    write(site.venv / "lib/python3.11/site-packages/_own.pth", f"{other}\n")
    assert sentences(replace(site, variables={"PYTHONPATH": both})) == [
        f".venv, _own.pth: found the library of {other}, expected that of this clone; {REINSTALL}",
        f"PYTHONPATH: found {other}, which holds another copy of the library, expected none but"
        " this clone's workflow; run `unset PYTHONPATH`",
    ]


def test_memory_and_browser_are_those_there_are_or_unknown(site, tmp_path):
    table = write(tmp_path / "meminfo", "Buffers: 1 kB\nMemTotal:   2000 kB\n")
    write(tmp_path / "chromium", mode=0o755)
    bare = environment.machine(replace(site, variables={"PATH": ""}), tmp_path / "none")
    assert (bare["memory_bytes"], bare["browser"]) == (None, None)
    for given in ({"PATH": str(tmp_path)}, {"PATH": "", "CHROMIUM": str(tmp_path / "chromium")}):
        found = environment.machine(replace(site, variables=given), table)
        assert (found["memory_bytes"], found["browser"]) == (
            2000 * 1024,
            str(tmp_path / "chromium"),
        )


@pytest.mark.parametrize(
    ("program", "trouble", "broken"),
    [
        ("import os; os.kill(os.getpid(), 11)", "a crash (SIGSEGV)", True),
        ("import time; time.sleep(600)", "no answer within 2 s", True),
        ("import sys; sys.exit('error: none; install')", "none; install", False),
        ("import no_such_module", "not to be asked before `make facts`", False),
        ("raise SystemExit(2)", "no word", False),
        ("print('one\\ntwo')", None, False),
    ],
)
def test_a_driver_may_crash_hang_or_be_missing(site, program, trouble, broken):
    seconds = 2 if "sleep" in program else 600
    names, said, findings = environment.list_adapters(site, ("-c", program), seconds)
    assert names == ([] if trouble else ["one", "two"])
    assert said is trouble is None or said.startswith(trouble)
    assert bool(findings) is broken


def test_a_listing_that_cannot_start(site):
    python = site.venv / "bin/python"
    python.unlink()
    write(python, "no program", mode=0o644)
    assert environment.list_adapters(site)[1].startswith("the listing could not start")
