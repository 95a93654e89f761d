"""An interpreter, an environment or a library from elsewhere: planted, and named with its mend."""

import os
import shutil
import sys

import pytest
from fusedfacts.doctor import interpreter, packages
from fusedfacts.doctor.requirements import Pin
from support.doctor_clones import HASH, elsewhere, healthy, installed, write


@pytest.fixture
def place(tmp_path):
    return healthy(tmp_path)


def sentences(place):
    return [finding.sentence for finding in interpreter.look(place)]


def test_a_clone_s_own_environment_is_fine(place):
    assert sentences(place) == []


def test_a_fresh_clone_may_be_looked_at_by_any_interpreter(place):
    shutil.rmtree(place.venv)
    assert sentences(elsewhere(place, prefix=place.root.parent)) == []


def test_an_old_python(place):
    assert sentences(elsewhere(place, version=(3, 10, 4))) == [
        "Python: found version 3.10.4, expected 3.11 or newer; run `make facts PYTHON=python3.12`,"
        " or name another that is new enough"
    ]


def test_an_interpreter_from_elsewhere(place, tmp_path):
    other = tmp_path / "other"
    assert sentences(elsewhere(place, prefix=other)) == [
        f"Python: found that of {other}, expected that of this clone's .venv; run"
        " `. .venv/bin/activate` in the clone"
    ]


def test_an_environment_behind_a_link_is_this_clone_s(place, tmp_path):
    shutil.move(place.venv, tmp_path / "elsewhere")
    place.venv.symlink_to(tmp_path / "elsewhere")
    assert sentences(place) == []


@pytest.mark.parametrize(
    "beginning",
    [
        "#!{}/bin/python\n",
        "#!{}/bin/python3.11\n",
        '#!"{}/bin/python"\n',
        "#!/bin/sh\n'''exec' {}/bin/python3 \"$0\" \"$@\"\n' '''\n",
        "#!/bin/sh\n'''exec' \"{}/bin/python\" \"$0\" \"$@\"\n' '''\n",
    ],
)
def test_an_environment_that_was_moved(place, tmp_path, beginning):
    old = tmp_path / "old place" / ".venv" if '"{}' in beginning else tmp_path / "old" / ".venv"
    write(place.venv / "bin/snakemake", beginning.format(old))
    assert sentences(place) == [
        f".venv/bin/snakemake: found a script of {old}: the environment was moved or copied,"
        f" expected one of this clone's .venv; {interpreter.MEND_VENV}"
    ]
    write(place.venv / "bin/snakemake", beginning.format(place.venv))
    assert sentences(place) == []


def test_a_real_move_of_the_clone_is_seen(place, tmp_path):
    moved = tmp_path / "moved"
    shutil.move(place.root, moved)
    there = elsewhere(place, root=moved, working=moved, prefix=moved / ".venv")
    (sentence,) = sentences(there)
    assert f"a script of {place.venv}" in sentence


def test_where_the_environment_is_broken_nobody_is_told_to_activate_it(place, tmp_path):
    moved = tmp_path / "moved"
    shutil.move(place.root, moved)
    (sentence,) = sentences(elsewhere(place, root=moved, working=moved, prefix=tmp_path))
    assert sentence.endswith(interpreter.MEND_VENV)


@pytest.mark.parametrize("text", ["", "#!/bin/sh\n", "#!/usr/bin/env python3\n", "\0\1\2"])
def test_other_scripts_say_nothing_of_an_environment(place, text):
    write(place.venv / "bin/activate", text)
    assert sentences(place) == []


def test_an_interpreter_that_was_removed(place):
    python = place.venv / "bin/python"
    python.unlink()
    python.symlink_to("/no/python3.11")
    assert sentences(place) == [
        ".venv/bin/python: found /no/python3.11, not there, expected an interpreter;"
        f" {interpreter.MEND_VENV}"
    ]


def test_a_folder_that_is_no_environment(place):
    (place.venv / "pyvenv.cfg").unlink()
    assert sentences(place) == [
        f".venv: found no pyvenv.cfg, expected a virtual environment; {interpreter.MEND_VENV}"
    ]


def test_a_library_installed_from_another_clone(place, tmp_path):
    write(tmp_path / "other/workflow/fusedfacts/__init__.py")
    write(place.venv / "lib/python3.11/site-packages/_own.pth", f"{tmp_path}/other/workflow\n")
    assert sentences(place) == [
        f".venv, _own.pth: found the library of {tmp_path}/other/workflow, expected that of this"
        f" clone; {interpreter.MEND_VENV}"
    ]


def test_a_python_path_with_another_copy(place, tmp_path):
    write(tmp_path / "other/workflow/fusedfacts/__init__.py")
    other = f"{tmp_path}/other/workflow"
    for harmless in ("", str(place.root / "workflow"), str(tmp_path), "workflow"):
        assert sentences(elsewhere(place, environment={"PYTHONPATH": harmless})) == []
    both = os.pathsep.join([str(place.root / "workflow"), other])
    assert sentences(elsewhere(place, environment={"PYTHONPATH": both})) == [
        f"PYTHONPATH: found {other}, which holds another copy of the library, expected none but"
        " this clone's workflow; run `unset PYTHONPATH`"
    ]


PINS = [
    Pin("numpy", "2.4.6", "", frozenset({HASH})),
    Pin("jinja2", "3.1.6", "", frozenset({HASH})),
    Pin("colorama", "0.4.6", "sys_platform == 'win32'", frozenset({HASH})),
]


def held(place):
    there = packages.installed(interpreter.site_packages(place.venv))
    return packages.held(PINS, there, {"sys_platform": "linux"})


def test_packages_as_locked(place):
    found = held(place)
    assert (found.wanted, found.missing, found.other, found.unlocked) == (2, (), (), 0)
    assert packages.look(found) == []


def test_the_command_itself_and_pip_are_no_extras_and_an_extra_is_only_counted(place):
    for name in ("fused-facts", "pip", "setuptools", "black"):
        installed(place.root, name, "1.0")
    assert held(place).unlocked == 1
    assert packages.look(held(place)) == []


def test_a_missing_package(place):
    shutil.rmtree(next(place.venv.rglob("jinja2*")))
    (finding,) = packages.look(held(place))
    assert finding.sentence == (
        ".venv: found no jinja2, expected all of requirements.txt; run"
        " `rm -rf .venv && make facts`, which sets it up anew"
    )


def test_another_version(place):
    shutil.rmtree(next(place.venv.rglob("numpy*")))
    installed(place.root, "NumPy", "2.0.1")
    (finding,) = packages.look(held(place))
    assert "found numpy 2.0.1, expected numpy 2.4.6 as in requirements.txt" in finding.sentence


def test_what_a_half_deleted_package_left_is_no_package(place):
    next(place.venv.rglob("METADATA")).unlink()
    assert len(held(place).missing) == 1


def test_a_package_whose_files_are_gone_is_missing_whatever_its_metadata_say(place):
    folder = next(place.venv.rglob("numpy*"))
    write(folder / "RECORD", 'numpy/__init__.py,,\n"numpy/__pycache__/a.pyc",,\n')
    assert held(place).missing == ("numpy",)
    write(folder.parent / "numpy/__init__.py")
    assert held(place).missing == ()


def test_without_an_environment_the_interpreter_s_own_packages_are_looked_at():
    assert "numpy" in packages.installed(None)
    assert sys.prefix
