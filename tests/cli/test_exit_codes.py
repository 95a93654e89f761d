"""Exit code 1 is a verdict: whatever else happens is 2, and one sentence where errors belong."""

import json
import os
import subprocess
import sys

import pytest
from fusedfacts import terminal
from fusedfacts.cli import main
from fusedfacts.numerics import jit
from support import transcript_files

COUNT = "count --n 64 --d 16"
FAULTS = [
    (OSError(28, "No space left on device", "/x"), "/x: cannot be read or written (No space"),
    (PermissionError(13, "Permission denied"), "this machine: cannot be read or written"),
    (MemoryError(), "memory: found too little, expected more"),
    (ValueError("two\nlines"), r"fusedfacts: found a fault of its own (ValueError: two\nlines at"),
    (SystemError(), "fusedfacts: found a fault of its own (SystemError"),
]


@pytest.fixture(autouse=True)
def _nobody_else_waits(monkeypatch):
    monkeypatch.setattr(terminal, "waiting", [])


def left(capsys):
    """The exit code with which the command leaves, and what it printed."""
    with pytest.raises(SystemExit) as leaving:
        main.script()
    return leaving.value.code, *capsys.readouterr()


def in_a_shell(line, folder, **settings):
    """What a shell sees of `fusedfacts LINE`."""
    return subprocess.run(
        ["bash", "-c", f'"$PYTHON" -m fusedfacts {line}'],
        cwd=folder,
        # Buffered, as by default: what could not be written is tried again when Python ends.
        env={**os.environ, "PYTHONUNBUFFERED": "", "PYTHON": sys.executable, **settings},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(("fault", "says"), FAULTS)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_nobody_foresaw_is_a_sentence_and_no_verdict(
    capsys, monkeypatch, fault, says, as_json
):
    def fail(words):
        raise fault

    monkeypatch.setattr(main, "answer", fail)
    monkeypatch.setattr(sys, "argv", ["fusedfacts", *COUNT.split(), *["--json"] * as_json])
    code, out, err = left(capsys)
    assert code == 2
    assert err.startswith(f"error: {says}")
    assert err.count("\n") == 1
    assert "standard output" not in err
    assert (out and json.loads(out)) == ({"error": err[7:-1]} if as_json else "")


@pytest.mark.parametrize(
    ("streams", "code", "out", "err"),
    [
        ("2>&-", 0, "compulsory", ""),
        (">&-", 2, "", "standard output: found it closed"),
        ("<&-", 0, "compulsory", ""),
        (">/dev/full", 2, "", "standard output: cannot be written (No space left on device)"),
        ("--json >/dev/full", 2, "", "standard output: cannot be written"),
        ("--n 0 2>&-", 2, "", ""),
        ("--n 0 2>/dev/full", 2, "", ""),
        ("--n 0 >&- 2>&-", 2, "", ""),
        ("| (exec <&-; sleep 1); exit ${PIPESTATUS[0]}", 0, "", ""),
    ],
)
def test_a_stream_may_be_closed_or_full(tmp_path, streams, code, out, err):
    done = in_a_shell(f"{COUNT} {streams}", tmp_path)
    assert done.returncode == code, done.stderr
    assert out in done.stdout if out else not done.stdout
    assert err in done.stderr if err else not done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_written_does_not_become_a_closed_stream(tmp_path):
    """Its descriptor would be that of standard error, and take what libraries print there."""
    transcript_files.write(tmp_path)
    for name, streams in (("open", ""), ("closed", "2>&- <&-")):
        done = in_a_shell(f"check mine.safetensors --write {name} {streams}", tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "open").read_bytes() == (tmp_path / "closed").read_bytes()


@pytest.mark.parametrize("text", ["a: [\n", "3\n"])
def test_settings_that_the_compiler_cannot_read_are_named(tmp_path, text):
    transcript_files.write(tmp_path)
    (tmp_path / ".numba_config.yaml").write_text(text)
    done = in_a_shell("check mine.safetensors", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: numba: cannot start (")
    assert done.stderr.count("\n") == 1
    assert "remove .numba_config.yaml" in done.stderr


# A user whom no list names has no home.
NOBODY = """
import pwd
def unknown(user): raise KeyError(user)
pwd.getpwuid = unknown
from fusedfacts.cli.main import script
script()
"""


@pytest.mark.parametrize(
    ("words", "codes", "says"),
    [("doctor", {0, 1}, ""), ("check mine.safetensors", {0}, f"{jit.COMPILING}\n")],
)
def test_an_empty_environment_is_enough(tmp_path, words, codes, says):
    """And nothing is left where the command ran, such as a folder called "~"."""
    transcript_files.write(tmp_path)
    before = sorted(os.listdir(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", NOBODY, *words.split()],
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode in codes, done.stderr) == (True, says)
    assert sorted(os.listdir(tmp_path)) == before
