"""`fusedfacts check` of several files, and of standard input."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fusedfacts.documents import schema
from support.asked import answered, document, refused

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(
    ("names", "code", "verdict"),
    [
        (["mine", "right"], 0, "holds"),
        (["right", "tied"], 1, "not certified"),
        (["wrong", "tied", "right"], 1, "does not hold"),
        (["right", "names", "wrong"], 2, "refused"),
    ],
)
def test_each_file_is_judged_and_the_worst_decides(capsys, names, code, verdict):
    files = [f"{name}.safetensors" for name in names]
    found_code, out, _ = answered(capsys, *files, "--json")
    found = json.loads(out)
    schema.validate(found, "checks", "the answer", "correct it")
    assert (found_code, found["verdict"]) == (code, verdict)
    for name, entry in zip(files, found["files"], strict=True):
        if entry["verdict"] == "refused":
            assert entry["error"].startswith(f"{name}: found no q")
        else:
            assert entry["check"] == document(capsys, name)
    text_code, text, _ = answered(capsys, *files)
    assert text_code == code
    assert text.splitlines()[-1].startswith(f"{len(files)} files: 1 {verdict}" if code else "2 fi")


def test_what_needs_one_file_refuses_several(capsys):
    said = refused(capsys, "mine.safetensors", "heads.safetensors", "--write", "out.safetensors")
    assert "--write: found 2 files" in said
    assert "found 2 times" in refused(capsys, "-", "-")


def piped(monkeypatch, content):
    stream = SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", stream)


def test_standard_input_is_judged_like_a_file(capsys, monkeypatch):
    piped(monkeypatch, Path("wrong.safetensors").read_bytes())
    found = document(capsys, "-")
    assert found == document(capsys, "wrong.safetensors") | {"file": "standard input"}


@pytest.mark.parametrize("content", [b"", b"text", Path("/bin/sh").read_bytes()])
def test_what_is_no_safetensors_file_is_refused(capsys, monkeypatch, content):
    piped(monkeypatch, content)
    assert refused(capsys, "-").startswith("error: standard input: found")


def test_too_much_and_too_little_are_refused(capsys, monkeypatch):
    right = Path("right.safetensors").read_bytes()
    for content in (right + b"\0", right[:-1]):
        piped(monkeypatch, content)
        assert "standard input: found no safetensors file" in refused(capsys, "-")


@pytest.mark.parametrize("endless", ["/dev/zero", "/dev/urandom"])
def test_a_stream_without_end_is_refused_at_once(endless):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with open(endless, "rb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "fusedfacts", "check", "-"],
            stdin=stream, capture_output=True, text=True, env=environment,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard input: found")
