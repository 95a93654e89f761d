"""An interpreter or an environment from elsewhere, and a driver that crashes."""

import shutil

import pytest
from fusedfacts.doctor import environment
from fusedfacts.doctor.site import ACTIVATE, REINSTALL
from support.doctor_clones import write


def sentences(site):
    return [finding.sentence for finding in environment.findings(site)]


def test_a_clone_s_own_environment_is_fine_behind_a_link_too(site, tmp_path):
    assert sentences(site) == []
    shutil.move(site.venv, tmp_path / "elsewhere")
    site.venv.symlink_to(tmp_path / "elsewhere")
    assert sentences(site) == []


def test_a_fresh_clone_may_be_examined_by_any_interpreter(site):
    shutil.rmtree(site.venv)
    assert sentences(site._replace(prefix=site.root.parent)) == []


def test_another_interpreter_than_the_clone_s_own(site, tmp_path):
    assert sentences(site._replace(prefix=tmp_path)) == [
        f"Python: found that of {tmp_path}, expected that of this clone's .venv; {ACTIVATE}"
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
    (sentence,) = sentences(site._replace(root=moved, working=moved, prefix=tmp_path))
    assert f"a script of {site.venv}" in sentence
    assert sentence.endswith(REINSTALL)


def test_an_interpreter_that_was_removed(site):
    (site.venv / "bin/python").unlink()
    (site.venv / "bin/python").symlink_to("/no/python3.11")
    assert sentences(site) == [
        ".venv/bin/python: found nothing that this user can run, expected an interpreter;"
        f" {REINSTALL}"
    ]


def test_an_environment_that_is_a_link_to_itself(site):
    shutil.rmtree(site.venv)
    site.venv.symlink_to(".venv")
    assert sentences(site) == [
        ".venv: found a link that leads nowhere, expected an environment;"
        " run `rm .venv && make facts`"
    ]


@pytest.mark.parametrize(
    ("program", "trouble"),
    [
        ("import os; os.kill(os.getpid(), 11)", "a crash (SIGSEGV); update the driver"),
        ("import time; time.sleep(600)", "no answer within 2 s; update the driver"),
        ("import sys; sys.exit('error: none; install')", "none; install"),
        ("import no_such_module", "not to be asked before `make facts`"),
        ("raise SystemExit(2)", "no word"),
        ("print('one\\ntwo')", None),
    ],
)
def test_a_driver_may_crash_hang_or_be_missing(site, monkeypatch, program, trouble):
    monkeypatch.setattr(environment, "LISTING", ("-c", program))
    monkeypatch.setattr(environment, "LISTING_SECONDS", 2 if "sleep" in program else 600)
    names, said = environment.list_adapters(site)
    assert names == ([] if trouble else ["one", "two"])
    assert said is trouble is None or said.startswith(trouble)
