"""Kills, full disks, folders that take nothing and two runs at once, with real processes."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fusedfacts.errors import FactsError
from fusedfacts.publishing import folder as publish
from support.built_runs import as_published, marked
from support.common import ROOT, content
from support.workflow_runs import SNAKEMAKE, environment, finished, run, small_copy

PUBLISHING = [sys.executable, "-m", "support.publishing"]
PYTHONPATH = os.pathsep.join([str(ROOT / "workflow"), str(ROOT / "tests")])
SOON_S = 60  # a process that takes longer than this to say something is stuck


def start(*arguments):
    return subprocess.Popen(
        [*PUBLISHING, *map(str, arguments)],
        env=environment(PYTHONPATH=PYTHONPATH),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(*arguments):
    """Exit code and what was said on stderr."""
    process = start(*arguments)
    _, said = process.communicate(timeout=SOON_S)
    return process.returncode, said


@pytest.fixture
def runs(tmp_path):
    """Two runs whose facts differ, the first of them published: folder, old, new."""
    old = marked(tmp_path / "old", "one")
    new = marked(tmp_path / "new", "two", without=["captions.vtt"])
    publish.publish(old, tmp_path / "out")
    assert content(tmp_path / "out") == as_published(old)
    return tmp_path / "out", old, new


def steps(old, new):
    """How many files the second run stages, and so moves: those that the first left otherwise."""
    before, after = as_published(old), as_published(new)
    return sum(before.get(name) != data for name, data in after.items())


def held(new, folder, step):
    """A run that is held before a step."""
    process = start(new, folder, "--hold", step)
    assert process.stdout.readline() == "held\n"
    return process


# --- two runs at once ------------------------------------------------------------------------


def test_a_second_run_waits_for_the_first_and_so_does_a_reader(runs):
    folder, old, new = runs
    first = held(new, folder, steps(old, new) + 5)
    half = content(folder)
    assert half != as_published(old)
    second, reader = start(old, folder), start(old, folder, "--check")
    time.sleep(2)  # both have long been at the folder
    assert second.poll() is None
    assert reader.poll() is None
    assert content(folder) == half
    # The second ends last or the reader does; either way the reader sees one run's facts.
    first.communicate("go on\n", timeout=SOON_S)
    second.communicate(timeout=SOON_S)
    facts, fault = reader.communicate(timeout=SOON_S)
    assert [first.returncode, second.returncode, reader.returncode] == [0, 0, 0], fault
    assert facts in ("one\n", "two\n")
    assert content(folder) == as_published(old)


def test_a_killed_run_lets_the_next_one_in_at_once(runs):
    folder, old, new = runs
    first = held(new, folder, steps(old, new) + 5)
    second = start(old, folder)
    first.kill()
    first.communicate()
    _, said = second.communicate(timeout=SOON_S)
    assert second.returncode == 0, said
    assert content(folder) == as_published(old)


def test_who_waits_too_long_is_told_so_and_changes_nothing(runs):
    folder, old, new = runs
    first = held(new, folder, steps(old, new) + 5)
    half = content(folder)
    code, said = ended(old, folder)
    assert code == 2
    assert re.fullmatch(r"error: .*out: found another run that .* 10 seconds, .* run again\n", said)
    assert content(folder) == half
    first.communicate("go on\n", timeout=SOON_S)
    assert content(folder) == as_published(new)


# --- kills -----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["staging", "moving", "before the manifest"])
def test_a_kill_is_named_and_mended(runs, part):
    folder, old, new = runs
    count = steps(old, new)
    step = {"staging": 5, "moving": count + 5}.get(part, 2 * count - 1)
    process = held(new, folder, step)
    process.kill()
    process.communicate()
    left = {name: data for name, data in content(folder).items() if not name.endswith(".part")}
    for name, data in left.items():
        assert data in (as_published(old).get(name), as_published(new).get(name)), name
    assert (left == as_published(old)) == (part == "staging")
    with pytest.raises(FactsError, match=r"publish again with `make facts`"):
        publish.check(folder)
    publish.publish(new, folder)
    assert content(folder) == as_published(new)
    publish.check(folder)


# --- a disk that is full ---------------------------------------------------------------------


@pytest.mark.parametrize("largest", [0, 50_000])
def test_a_disk_that_the_kernel_calls_full_leaves_everything_as_it_was(runs, largest):
    folder, old, new = runs
    code, said = ended(new, folder, "--largest", largest)
    assert code == 2
    assert re.fullmatch(r"error: .*: cannot be written \(.*\); make the folder writable.*\n", said)
    assert content(folder) == as_published(old)
    publish.check(folder)
    assert ended(new, folder) == (0, "")
    assert content(folder) == as_published(new)


# --- a folder that takes nothing -------------------------------------------------------------


@pytest.mark.parametrize(("where", "to"), [(".", "."), ("pictures", "."), (".", "more/fused")])
def test_a_read_only_folder_is_one_sentence_and_can_be_read(runs, where, to):
    """Whether it, one within, or one that is to be made: nothing changes."""
    folder, old, new = runs
    (folder / where).chmod(0o555)
    try:
        code, said = ended(new, folder / to)
        facts, _ = start(old, folder, "--check").communicate(timeout=SOON_S)
    finally:
        (folder / where).chmod(0o755)
    assert code == 2
    assert re.fullmatch(r"error: .*: cannot be written \(Permission denied\); make .*\n", said)
    assert facts == "one\n"
    assert content(folder) == as_published(old)
    publish.check(folder)


# --- whole runs ------------------------------------------------------------------------------


def start_run(folder, *arguments):
    return subprocess.Popen(
        [*SNAKEMAKE, "--cores", "1", *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def wait_for(what):
    deadline = time.monotonic() + SOON_S
    while not what() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert what()


@pytest.mark.workflow
@pytest.mark.slow
def test_a_second_run_is_refused_and_jobs_that_outlive_a_killed_one_harm_nothing(tmp_path):
    """Only Snakemake itself is killed; what it started goes on beside the run that follows."""
    small = small_copy(tmp_path / "copy")
    folder = small / "media" / "school" / "fused"
    first = start_run(small)
    wait_for(lambda: list(Path(small, ".snakemake", "locks").glob("*")))
    second = run(small, "--cores", "1")
    assert second.returncode != 0
    assert "cannot be locked" in second.stdout
    wait_for(lambda: list(Path(small, "results").glob("*.json")))
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    first.stdout.close()
    finished(small, "--unlock")
    finished(small)
    publish.check(folder)
    assert content(folder) == as_published(small / "results" / "manifest.json")


@pytest.mark.workflow
def test_the_next_run_sweeps_what_a_killed_one_left_of_its_writing(tmp_path):
    copy = small_copy(tmp_path / "copy")
    left, other = copy / "results/.qkv.abcd_123.part", copy / "results/.mine"
    left.parent.mkdir()
    for path in (left, other):
        path.write_text("half")
    finished(copy, "-n", "results/qkv.safetensors")
    assert left.exists()
    finished(copy, "results/qkv.safetensors")
    assert not left.exists()
    assert other.exists()


@pytest.mark.workflow
@pytest.mark.slow
def test_runs_and_publishing_killed_at_random_moments(tmp_path):
    """The short form of what `PYTHONPATH=tests python -m support.kills` does at length."""
    done = run(
        ROOT,
        *("--times", "1", "--publish-times", "20"),
        command=[sys.executable, "-m", "support.kills"],
        PYTHONPATH=os.pathsep.join(["workflow", "tests"]),
        TMPDIR=str(tmp_path),
    )
    assert done.returncode == 0, done.stdout[-3000:]
    for what, times in (("publishing", 20), ("whole runs", 1)):
        line = re.search(rf"{what}: {times} kills .*: found (.*)", done.stdout)
        assert sum(map(int, re.findall(r"\d+", line[1]))) == times
