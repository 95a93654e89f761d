"""Where subnormal numbers are flushed to zero nothing gets a verdict: it is said, exit code 2."""

import os
import subprocess
import sys

import numpy as np
import pytest
from fusedfacts.numerics import subnormals
from safetensors.numpy import save_file
from support.common import ROOT

SAYS = "error: this machine's arithmetic: found numbers below 2^-126 flushed to zero, expected"
SCRIPTS = ["audit", "device", "extract", "section"]


def flushed(folder, *words):
    """What is said where the processor flushes, and the exit code."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "support.flushing", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def test_this_machine_keeps_them():
    assert subnormals.kept()


@pytest.fixture
def tiny(tmp_path):
    """A wrong answer of values near 1e-40, which would hold where the judge flushes, too."""
    x = np.full((4, 16), 1e-40, np.float32)
    save_file({"q": x, "k": x, "v": x, "o": 2 * x}, tmp_path / "tiny.safetensors")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["check", "tiny.safetensors"],
        ["count", "--n", "4", "--d", "16", "--emulate"],
        ["audit"],
        ["claim", "model.held_out_loss", "--rerun"],
    ],
)
def test_a_command_that_judges_refuses(tiny, words):
    code, out, err = flushed(tiny, "command", *words)
    assert (code, out) == (2, "")
    assert err.startswith(SAYS)
    assert err.count("\n") == 1


def test_the_wrong_answer_is_seen_where_they_are_kept(tiny, monkeypatch, capsys):
    from fusedfacts.cli.main import main

    monkeypatch.chdir(tiny)
    assert main(["check", "tiny.safetensors"]) == 1


def test_what_judges_nothing_answers(tmp_path):
    code, out, _ = flushed(tmp_path, "command", "count", "--n", "4", "--d", "16")
    assert code == 0
    assert "bytes" in out


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_job_that_judges_stops_before_it_reads_anything(tmp_path, name):
    script = ROOT / "workflow" / "scripts" / f"{name}.py"
    code, _, err = flushed(tmp_path, "script", script, tmp_path / "log")
    assert code == 2
    assert err.startswith(SAYS)
    assert (tmp_path / "log").read_text().startswith(SAYS)
