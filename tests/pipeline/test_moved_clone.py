"""A clone that was moved, copied or linked: make sets its environment up anew, or says why not.

The environment is a tiny one, made by a program that stands for Python.
"""

import os
import shutil
import subprocess

import pytest
from fusedfacts.cli import main
from fusedfacts.doctor import packages
from fusedfacts.errors import FactsError
from support.common import ROOT
from support.doctor_clones import write

PYTHON = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in
*"import fusedfacts" | *"import myst_parser") exit ${STARTS:-0} ;;
*"-m venv --clear .venv")
    rm -rf .venv && mkdir -p .venv/bin && cp "$STANDS_FOR_PYTHON" .venv/bin/python
    printf '#!/bin/sh\\nexit $SNAKEMAKE_ENDS\\n' > .venv/bin/snakemake
    printf '#!%s/.venv/bin/python\\n' "$PWD" > .venv/bin/fusedfacts
    chmod +x .venv/bin/*
esac
"""


class Clone:
    """A clone with the repository's own Makefile."""

    def __init__(self, root, bench):
        self.root, self.bench = root, bench
        self.made = root / ".venv/bin/python"

    def make(self, *words, ends=0, starts=0):
        """Run make; its output, and what Python was asked for."""
        calls = self.bench / "calls"
        calls.write_text("")
        python = str(self.bench / "python")
        done = subprocess.run(
            ["make", *words, f"PYTHON={python}"],
            cwd=self.root,
            env={
                **{name: value for name, value in os.environ.items() if "MAKE" not in name},
                "CALLS": str(calls),
                "STANDS_FOR_PYTHON": python,
                "SNAKEMAKE_ENDS": str(ends),
                "STARTS": str(starts),
            },
            capture_output=True,
            text=True,
        )
        self.sets_up = "-m venv" in calls.read_text()
        return done


@pytest.fixture
def clone(tmp_path):
    """One that `make facts` has set up."""
    write(tmp_path / "python", PYTHON, mode=0o755)
    root = tmp_path / "a,clone"
    for name in ("Makefile", "requirements.txt"):
        write(root / name, (ROOT / name).read_text())
    write(root / "workflow/fusedfacts/documents/repository.py")
    one = Clone(root, tmp_path)
    one.first = one.make("facts")
    assert one.first.returncode == 0, one.first.stderr
    assert one.sets_up
    return one


def test_the_first_set_up_says_what_it_is_at_before_it_is_silent(clone):
    """Of the lock's packages, those of other systems apart."""
    locked = sum("sys_platform" not in pin.marker for pin in packages.locked(ROOT))
    said = [line for line in clone.first.stdout.splitlines() if line.startswith("setting up")]
    assert os.uname().sysname != "Linux" or f"{locked} packages" in said[0]
    assert said[1:] == [
        "setting up .venv: packages are there, installing this clone's library",
        "setting up .venv: done",
    ]


def test_an_interpreter_that_does_not_start_is_not_ready_however_well_set_up_went(clone):
    """As where the path has letters beyond ASCII, which not every locale's Python can read."""
    (clone.root / ".venv/ready").unlink()
    done = clone.make("facts", starts=1)
    assert done.returncode == 2
    assert "found an interpreter that does not start here" in done.stderr
    assert "run: export LC_ALL=C.UTF-8" in done.stderr
    assert not (clone.root / ".venv/ready").exists()
    assert clone.make("facts").returncode == 0
    assert clone.sets_up


@pytest.mark.parametrize("recorded", [True, False])
def test_where_nothing_moved_nothing_is_set_up(clone, recorded):
    """A stamp of before folders were recorded is trusted."""
    if not recorded:
        (clone.root / ".venv/ready").write_text("")
    for target in ("facts", "bench", "lab"):
        done = clone.make(target)
        assert done.returncode == 0
        assert not clone.sets_up
        assert "set up" not in done.stdout


def test_a_new_lock_is_set_up(clone):
    os.utime(clone.root / "requirements.txt", (2**32, 2**32))
    clone.make("lab")
    assert clone.sets_up


@pytest.mark.parametrize("how", [shutil.move, shutil.copytree])
def test_a_moved_and_a_copied_clone_are_set_up_anew_once(clone, tmp_path, how):
    other = Clone(tmp_path / "other,place", tmp_path)
    how(clone.root, other.root)
    done = other.make("facts")
    assert done.returncode == 0, done.stderr
    assert other.sets_up
    line = f".venv was made in {clone.root} and not here, so it is set up anew"
    assert done.stdout.count(line) == 1
    assert (other.root / ".venv/ready").read_text() == f"{other.root}\n"
    assert other.make("facts").returncode == 0
    assert not other.sets_up


def linked(clone, tmp_path):
    """Another clone, whose environment is a link to this one's."""
    other = Clone(tmp_path / "linked", tmp_path)
    shutil.copytree(clone.root, other.root, ignore=shutil.ignore_patterns(".venv"))
    (other.root / ".venv").symlink_to(clone.root / ".venv")
    return other


def test_a_linked_environment_is_another_clone_s_and_never_cleared(clone, tmp_path):
    other = linked(clone, tmp_path)
    os.utime(other.root / "requirements.txt", (2**32, 2**32))
    done = other.make("lab")
    assert done.returncode == 0, done.stderr
    assert not other.sets_up
    assert done.stdout.startswith(f".venv is a link to {clone.root}/.venv and is used as it is;")
    assert (clone.root / ".venv/ready").read_text() == f"{clone.root}\n"
    shutil.rmtree(clone.root / ".venv")
    done = other.make("lab")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: .venv: found a link to {clone.root}/.venv with nothing")


def test_the_site_s_packages_come_once_and_never_into_another_clone_s_environment(clone, tmp_path):
    write(clone.root / "requirements-docs.txt")
    asked = tmp_path / "calls"
    assert clone.make(".venv/docs").returncode == 0
    assert asked.read_text().endswith("--require-hashes --requirement requirements-docs.txt\n")
    clone.make(".venv/docs")
    assert asked.read_text() == ""
    other = linked(clone, tmp_path)
    done = other.make("docs", starts=1)
    assert done.returncode == 2
    assert "found a link to an environment without Sphinx" in done.stderr
    assert "pip" not in asked.read_text()


@pytest.mark.parametrize("ends", [1, 2])
def test_a_failed_run_names_the_doctor_and_keeps_its_exit_code(clone, ends):
    done = clone.make("facts", ends=ends)
    first, last = done.stderr.splitlines()
    assert first == "run `.venv/bin/fusedfacts doctor`: it says what is in the way"
    assert last.endswith(f"Error {ends}")
    assert "doctor" not in clone.make("facts").stderr


def test_make_runs_this_clone_s_library_from_a_linked_environment(clone, tmp_path):
    other = linked(clone, tmp_path)
    recipe = (other.root / "Makefile").read_text() + "\nasked:\n\t@echo $$PYTHONPATH\n"
    write(other.root / "Makefile", recipe)
    assert other.make("asked").stdout.split(":")[0].strip() == f"{other.root}/workflow"
    with pytest.raises(FactsError) as raised:
        main.require_this_clone(other.root)
    assert str(raised.value).endswith(
        f"run `PYTHONPATH={other.root}/workflow {other.root}/.venv/bin/fusedfacts`"
    )


def test_the_command_of_another_clone_names_this_one_s(clone):
    with pytest.raises(FactsError) as raised:
        main.require_this_clone(clone.root)
    assert str(raised.value) == (
        f"{clone.root}: found the command of another clone, {ROOT}, expected this one's; run"
        f" `make facts` there, then `{clone.root}/.venv/bin/fusedfacts`"
    )
