"""What a killed run left, another model file, line endings: named, and fixed as the doctor says."""

import contextlib
import hashlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from fusedfacts.doctor import site as sites
from fusedfacts.doctor import workspace
from fusedfacts.pipeline import config
from support.common import ROOT
from support.doctor_clones import command_of, healthy, run_fix, write
from support.workflow_runs import SNAKEMAKE, environment

SECONDS = 120  # in which a slow machine has begun its first job
HASHES = {text: hashlib.sha256(text.encode()).hexdigest() for text in ("right", "wrong")}


def sentences(site):
    return [finding.sentence for finding in workspace.findings(site)]


def process(site, number, folder, *words):
    entry = site.processes / str(number)
    write(entry / "cmdline", "\0".join(words) + "\0")
    (entry / "cwd").symlink_to(folder)


def until(true):
    end = time.monotonic() + SECONDS
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    assert true()


def test_what_a_real_killed_run_leaves_is_named_and_fixed(tmp_path):
    """Its lock is its own until it is killed; its job is ended first, then the lock taken away."""
    script = "import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(600)\n"
    write(tmp_path / "long.py", script)
    # Without its config the workflow says so and stops, to unlock it, too.
    needs = "config['mine']\nrule all:\n    output: 'made'\n    script: 'long.py'\n"
    write(tmp_path / "Snakefile", needs)
    write(tmp_path / "own.yaml", "mine: 1\n")
    given = "--cores 1 --configfile own.yaml"
    clone = healthy(tmp_path)._replace(working=tmp_path, processes=Path("/proc"))
    write(clone.venv / "bin/snakemake", f"#!/bin/sh\nexec {' '.join(SNAKEMAKE)} $*", mode=0o755)
    run = subprocess.Popen(
        [*SNAKEMAKE, *given.split()],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until((tmp_path / "begun").exists)
        (at_work,) = sentences(clone)
        assert "found a run at work since 2" in at_work
        assert f"process {run.pid}, expected none beside another one; wait" in at_work
        run.kill()  # alone: what it started works on
        run.wait()
        (job,) = workspace.findings(clone)
        assert job.where == f"{tmp_path}/.snakemake/scripts"
        run_fix(job, tmp_path)
        until(lambda: next(workspace.findings(clone)).where.endswith("locks"))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    (lock,) = workspace.findings(clone)
    assert lock.sentence == (
        f"{tmp_path}/.snakemake/locks: found 1 lock and no run at work here, expected none, for a"
        " run that was killed left them; run"
        f" `cd {tmp_path} && {clone.venv}/bin/snakemake --unlock {given}`, then"
        f" `{clone.venv}/bin/snakemake --rerun-incomplete {given}`, which finishes it"
    )
    # Who came since is not who left the lock.
    later = tmp_path / ".snakemake/log/2999-01-01T000000.000000.snakemake.log"
    write(later, f"  Command: snakemake --cores 2\n  Working directory: {tmp_path}\n")
    assert sentences(clone) == [lock.sentence]
    run_fix(lock, tmp_path)
    assert sentences(clone) == []


@pytest.mark.parametrize(
    ("words", "alive"),
    [
        (("python", "-m", "snakemake", "--cores", "2"), True),
        (("/x/.venv/bin/python3.11", "-B", "/x/.venv/bin/snakemake"), True),
        (("vim", "snakemake"), False),
        (("",), False),
    ],
)
def test_a_run_is_a_snakemake_process_in_that_folder(site, words, alive):
    write(site.root / ".snakemake/locks/0.output.lock")
    process(site, 17, site.root, *words)
    process(site, 18, site.root.parent, *words)
    assert workspace.processes_of(site.root, site.processes) == ([17] * alive, [])
    (said,) = sentences(site)
    assert ("a run at work since" in said) is alive


def test_jobs_without_a_run_are_to_end_before_anybody_unlocks(site):
    write(site.root / ".snakemake/locks/0.output.lock")
    process(site, 19, site.root, "python", f"{site.root}/.snakemake/scripts/tmp1.sweep.py")
    process(site, 17, site.root, "python", "-m", "snakemake", "--mode", "subprocess")
    process(site, 20, site.root, "python", "/elsewhere/.snakemake/scripts/tmp1.sweep.py")
    assert sentences(site) == [
        f"{site.root}/.snakemake/scripts: found 2 jobs of a run that was killed still at work, 17,"
        " 19, expected none without its run; wait, or run `kill 17 19`, then ask the doctor again"
    ]
    process(site, 1, site.root, "python", "-m", "snakemake")
    (said,) = sentences(site)
    assert "process 1, expected none beside another one; wait until it has ended" in said


@pytest.fixture
def model(site):
    write(site.root / "model/probe.txt", "right")
    settings = f"probe: model/probe.txt\nprobe_sha256: {HASHES['right']}\nweights: [a]\n"
    write(site.root / "config.yaml", settings)
    return site


def test_another_model_file_is_named_with_its_hash(model, tmp_path):
    assert sentences(model) == []
    # As in a run, one in the working directory comes first.
    write(tmp_path / "mine/model/probe.txt", "wrong")
    assert sentences(model._replace(working=tmp_path / "mine")) == [
        f"model/probe.txt: found sha256 {HASHES['wrong'][:12]}..., expected"
        f" {HASHES['right'][:12]}... as config.yaml says; run `git checkout model`, or put"
        f" `probe_sha256: {HASHES['wrong']}` into config.yaml"
    ]
    (model.root / "model/probe.txt").unlink()
    (sentence,) = sentences(model)
    assert sentence.startswith("model/probe.txt: found no file, expected the one that `probe`")


@pytest.mark.parametrize("text", ["a: [", "", "- a", "a: \0"])
def test_a_config_that_is_none(site, text):
    write(site.root / "config.yaml", text)
    (sentence,) = sentences(site)
    assert sentence.startswith("config.yaml: found what cannot be read (")


def test_this_repository_is_as_its_config_says_with_no_line_ending_changed():
    assert sentences(sites.here()._replace(working=ROOT, processes=Path("/none"))) == []
    assert workspace.MODEL_PARTS == config.MODEL_PARTS


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def test_changed_line_endings_are_named_and_mended_and_edits_kept(site):
    root = site.root
    for i in range(9):
        write(root / f"many/{i} of them.txt", "one\ntwo\n")
    write(root / ".gitattributes", "* text=auto\nkept.txt -text\n")
    for name in ("kept.txt", "binary", "results"):
        (root / name).write_bytes(b"\0\r\n" if name == "binary" else b"one\r\n")
    git(root, "init", "-q")
    git(root, "add", ".", ":!results")
    assert sentences(site) == []
    for path in (root / "many").iterdir():
        path.write_bytes(b"edited\none\r\n")
    (finding,) = workspace.findings(site)
    assert finding.where.startswith("many/0 of them.txt, many/1 of")
    assert finding.where.endswith("and 4 more")
    assert (finding.found, finding.expected) == ("lines that end in CRLF", "LF")
    assert "git grep" in command_of(finding)
    run_fix(finding, root)
    assert sentences(site) == []
    assert (root / "many/8 of them.txt").read_bytes() == b"edited\none\n"
    assert (root / "binary").read_bytes() == b"\0\r\n"
