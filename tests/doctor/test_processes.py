"""Jobs that a killed run left at work: seen among the processes, and waited for or ended."""

import contextlib
import os
import signal
import subprocess
import time

import pytest
from fusedfacts.doctor import killed_runs, leftovers, place, processes
from fusedfacts.documents import files
from support.doctor_clones import command_of, elsewhere, healthy, mend, write
from support.workflow_runs import SNAKEMAKE, environment

SNAKEFILE = "rule all:\n    output: 'made'\n    script: 'long.py'\n"
SCRIPT = "import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(60)\n"
SECONDS = 30  # in which a slow machine has begun its first job


@pytest.fixture
def quiet(tmp_path):
    return healthy(tmp_path)


def process(seen, number, parent, folder, *words):
    entry = seen.processes / str(number)
    write(entry / "cmdline", "\0".join(words) + "\0")
    write(entry / "stat", f"{number} (a) name) S {parent} 1 1")
    (entry / "cwd").symlink_to(folder)


def sentences(seen):
    return [finding.sentence for finding in killed_runs.look(seen)]


def gone(numbers):
    """Whether none of them works any more; one whose parent never asks stays listed, ended."""
    found = processes.seen(place.PROC)
    return not any(number in found and found[number].words != (b"",) for number in numbers)


def until(true):
    end = time.monotonic() + SECONDS
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    assert true()


def test_jobs_of_a_real_run_that_was_killed_are_named_and_ended(tmp_path):
    write(tmp_path / "Snakefile", SNAKEFILE)
    write(tmp_path / "long.py", SCRIPT)
    seen = elsewhere(healthy(tmp_path), root=tmp_path, working=tmp_path, processes=place.PROC)
    run = subprocess.Popen(
        [*SNAKEMAKE, "--cores", "1"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until((tmp_path / "begun").exists)
        assert killed_runs.look(seen) == []
        run.kill()  # alone: what it started works on
        run.wait()
        (finding,) = killed_runs.look(seen)
        jobs = processes.left_alone(tmp_path, processes.seen(place.PROC))
        assert finding.where == ".snakemake/scripts"
        assert finding.mend.endswith("then ask the doctor again")
        assert command_of(finding) == f"kill {' '.join(map(str, jobs))}"
        mend(finding, tmp_path)
        until(lambda: gone(jobs))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    until(lambda: killed_runs.look(seen)[0].where == ".snakemake/locks")


def test_a_script_with_no_run_above_it_is_left_alone(quiet):
    script = f"{quiet.root}/.snakemake/scripts/tmp1.sweep.py"
    process(quiet, 1, 0, "/", "init")
    process(quiet, 17, 1, quiet.root, "python3.11", script)
    write(quiet.root / ".snakemake/locks/0.input.lock", "x")
    files.stage(quiet.root / "results/facts.json", b"")
    assert sentences(quiet) == [
        ".snakemake/scripts: found process 17 of a run that was killed still at work, expected none"
        " without its run; wait for it, or run `kill 17`, then ask the doctor again"
    ]
    assert leftovers.look(quiet, quiet.root / "media/out") == []


def test_two_are_named_together(quiet):
    for number in (19, 17):
        script = f"{quiet.root}/.snakemake/scripts/tmp{number}.py"
        process(quiet, number, 1, quiet.root, "python3.11", script)
    (sentence,) = sentences(quiet)
    assert "processes 17, 19 of" in sentence
    assert "wait for them, or run `kill 17 19`" in sentence


@pytest.mark.parametrize(
    ("number", "expected"),
    [(17, []), (1, [30, 40])],
)
def test_a_job_below_a_run_is_that_run_s(quiet, number, expected):
    """The run, Snakemake at one job of it, a shell, and the script."""
    run = "python", "-m", "snakemake"
    process(quiet, 17, 1, quiet.root, *run, "--cores", "2")
    process(quiet, 30, number, quiet.root, *run, "--mode", "subprocess")
    process(quiet, 35, 30, quiet.root, "bash", "-c", "python x.py")
    process(quiet, 40, 35, quiet.root, "python", f"{quiet.root}/.snakemake/scripts/x.py")
    seen = processes.seen(quiet.processes)
    assert processes.left_alone(quiet.root, seen) == expected
    assert processes.runs(quiet.root, seen) == [17]


@pytest.mark.parametrize(
    "words",
    [
        ("python", "/elsewhere/.snakemake/scripts/x.py"),
        ("python", "x.py"),
        ("python", "-m", "snakemake", "--mode", "remote"),
        ("",),
    ],
)
def test_other_processes_are_not_of_this_clone(quiet, words):
    process(quiet, 17, 1, quiet.root, *words)
    assert processes.left_alone(quiet.root, processes.seen(quiet.processes)) == []


def test_parents_in_a_circle_come_to_an_end(quiet):
    script = f"{quiet.root}/.snakemake/scripts/x.py"
    process(quiet, 17, 18, quiet.root, "python", script)
    process(quiet, 18, 17, quiet.root, "python", script)
    assert processes.left_alone(quiet.root, processes.seen(quiet.processes)) == [17, 18]


def test_without_a_known_parent_nothing_is_said(quiet):
    process(quiet, 17, 1, quiet.root, "python", f"{quiet.root}/.snakemake/scripts/x.py")
    write(quiet.processes / "17/stat", "17")
    assert sentences(quiet) == []


def test_this_process_is_seen_with_its_parent():
    own = processes.seen(place.PROC)[os.getpid()]
    assert own.parent == os.getppid()
    assert not own.is_snakemake
