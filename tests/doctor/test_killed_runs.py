"""What a killed run leaves: planted by killing one, named, and mended by the command named."""

import base64
import os
import signal
import subprocess
import sys
import time

import pytest
from fusedfacts.doctor import killed_runs, leftovers, place, processes
from fusedfacts.documents import files, replacement
from support.doctor_clones import command_of, elsewhere, healthy, mend, write
from support.workflow_runs import SNAKEMAKE, environment

SNAKEFILE = "rule all:\n    output: 'made'\n    shell: 'touch made; test -e go || sleep 60'\n"
SECONDS = 30  # in which a slow machine has begun its first job


@pytest.fixture
def quiet(tmp_path):
    return healthy(tmp_path)


def sentences(seen):
    return [finding.sentence for finding in killed_runs.look(seen)]


def lock(folder, text="made\n"):
    return write(folder / ".snakemake/locks/0.output.lock", text)


def test_a_live_run_is_left_alone_and_a_dead_one_is_mended(tmp_path, monkeypatch):
    """A real run: its lock and mark are its own until it is killed; then both mends work."""
    write(tmp_path / "Snakefile", SNAKEFILE)
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    seen = elsewhere(
        healthy(tmp_path),
        root=tmp_path,
        working=tmp_path,
        processes=place.PROC,
        environment={"PATH": path},
    )
    run = subprocess.Popen(
        [*SNAKEMAKE, "--cores", "1"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        end = time.monotonic() + SECONDS
        while not (tmp_path / "made").exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert processes.runs(tmp_path, processes.seen(place.PROC)) == [run.pid]
        assert sentences(seen) == []
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    locked, marked = killed_runs.look(seen)
    assert locked.sentence == (
        ".snakemake/locks: found 1 lock and no run at work here, expected none, for a run that"
        " was killed left them; run `snakemake --unlock`"
    )
    assert marked.sentence == (
        ".snakemake/incomplete: found made marked as half-made, expected none, for a run that was"
        " killed left them; run `snakemake --cores 4 --rerun-incomplete`"
    )
    monkeypatch.setenv("PATH", path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    mend(locked, tmp_path)
    assert [finding.where for finding in killed_runs.look(seen)] == [".snakemake/incomplete"]
    write(tmp_path / "go")
    mend(marked, tmp_path)
    assert sentences(seen) == []


def process(seen, number, folder, *words):
    entry = seen.processes / str(number)
    write(entry / "cmdline", "\0".join(words) + "\0")
    (entry / "cwd").symlink_to(folder)


@pytest.mark.parametrize(
    ("words", "alive"),
    [
        (("python", "-m", "snakemake", "--cores", "2"), True),
        (("/x/.venv/bin/python3.11", "-B", "/x/.venv/bin/snakemake"), True),
        (("snakemake",), True),
        (("vim", "snakemake"), False),
        (("python", "other.py"), False),
        (("",), False),
    ],
)
def test_a_run_is_a_snakemake_process_in_that_folder(quiet, words, alive):
    lock(quiet.root)
    process(quiet, 17, quiet.root, *words)
    assert processes.runs(quiet.root, processes.seen(quiet.processes)) == [17] * alive
    assert bool(sentences(quiet)) is not alive


def test_a_run_in_another_folder_holds_no_lock_here(quiet, tmp_path):
    lock(quiet.root)
    process(quiet, 17, tmp_path, "python", "-m", "snakemake")
    assert len(sentences(quiet)) == 1


def test_where_processes_cannot_be_listed_the_mend_has_a_condition(quiet):
    lock(quiet.root)
    (sentence,) = sentences(elsewhere(quiet, processes=quiet.root / "none"))
    assert sentence.endswith(
        "run `.venv/bin/snakemake --unlock`, if none of yours is still at work"
    )


def test_a_lock_where_somebody_stands_is_seen_too(quiet, tmp_path):
    other = tmp_path / "mine"
    lock(other)
    (finding,) = killed_runs.look(elsewhere(quiet, working=other))
    assert finding.where == f"{other}/.snakemake/locks"
    own = f"{quiet.root}/.venv/bin/snakemake"
    assert command_of(finding) == f"{own} --unlock"
    lock(quiet.root)
    first, _ = killed_runs.look(elsewhere(quiet, working=other))
    assert command_of(first) == f"cd {quiet.root} && .venv/bin/snakemake --unlock"


def test_where_the_shell_is_activated_the_mend_is_shorter(quiet):
    lock(quiet.root)
    write(quiet.venv / "bin/snakemake", mode=0o755)
    activated = elsewhere(quiet, environment={"PATH": f"{quiet.venv}/bin"})
    assert command_of(killed_runs.look(activated)[0]) == "snakemake --unlock"
    bare = elsewhere(quiet, environment={"PATH": "/nowhere"})
    assert command_of(killed_runs.look(bare)[0]) == ".venv/bin/snakemake --unlock"


def test_an_empty_folder_of_locks_is_no_lock(quiet):
    (quiet.root / ".snakemake/locks").mkdir(parents=True)
    assert sentences(quiet) == []


def mark(folder, name):
    text = base64.urlsafe_b64encode(name.encode()).decode()
    # As Snakemake cuts what is too long for one file's name.
    parts = [text[i : i + 250] for i in range(0, len(text), 250)]
    path = folder / ".snakemake/incomplete"
    return write(path.joinpath(*("@" + part for part in parts[:-1]), parts[-1]), "{}")


def test_a_mark_counts_where_its_file_is_there(quiet):
    long = "/".join(["results"] + ["x" * 90] * 4)
    for name in ("results/a.json", long):
        mark(quiet.root, name)
    assert sentences(quiet) == []
    for name in ("results/a.json", long):
        write(quiet.root / name)
    assert sorted(killed_runs.incomplete(quiet.root)) == ["results/a.json", long]


@pytest.mark.parametrize("name", ["migration_underway", "%%%", "A", "_____w=="])
def test_another_file_among_the_marks_is_passed_over(quiet, name):
    write(quiet.root / ".snakemake/incomplete" / name)
    assert sentences(quiet) == []


@pytest.mark.parametrize("count", [1, 9])
def test_temporary_files_of_a_killed_job_are_named_and_mended(quiet, count):
    results = quiet.root / "results"
    write(results / "facts.json", "{}")
    write(results / ".hidden", "")
    for _ in range(count):
        files.stage(results / "pictures" / "a.svg", b"staged and never moved")
    (finding,) = leftovers.look(quiet, quiet.root / "media/out")
    assert finding.where == "results"
    assert finding.found.startswith("the temporary .a.svg.")
    mend(finding, quiet.root)
    assert leftovers.look(quiet, quiet.root / "media/out") == []
    assert {path.name for path in results.rglob("*.*")} == {"facts.json", ".hidden"}


def test_those_of_a_killed_publishing_are_for_the_next_run_to_take_away(quiet):
    """The staged manifest tells it which files may be there without being listed."""
    published = quiet.root / "media/out"
    staged = files.stage(published / "manifest.json", b"{}")
    (finding,) = leftovers.look(quiet, published)
    assert finding.where == "media/out"
    assert staged.name in finding.found
    assert command_of(finding) == "make facts"
    replacement.recover(published, "manifest.json", set(), lambda path: {})
    assert leftovers.look(quiet, published) == []


def test_what_a_live_run_is_writing_is_no_leftover(quiet):
    files.stage(quiet.root / "results/facts.json", b"")
    assert len(leftovers.look(quiet, quiet.root / "media/out")) == 1
    process(quiet, 17, quiet.root, "python", "-m", "snakemake")
    assert leftovers.look(quiet, quiet.root / "media/out") == []
