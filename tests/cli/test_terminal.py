"""What a terminal shows: verdicts in colour, the long list in a pager; a pipe has neither."""

import io
import os
import pty
import re
import subprocess
import sys

import pytest
from fusedfacts.cli import shown
from fusedfacts.cli.main import main

GREEN, END = "\x1b[32m", "\x1b[0m"
PAGED = {"PAGER": "sed 's/^/paged: /'"}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _no_wishes(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def in_a_terminal(*words, **variables):
    """What a command prints where its output is a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "fusedfacts", *words]
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen(command, env={**os.environ, **variables}, **ends) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                text += os.read(ours, 2**16)
            except OSError:  # the other end is closed
                break
        os.close(ours)
    return process.returncode, text.decode().replace("\r\n", "\n")


def test_verdicts_are_coloured_in_a_terminal():
    code, text = in_a_terminal("claim", "settings.seed", "--rerun")
    assert code == 0
    assert text.endswith(f"settings.seed {GREEN}holds{END}\n")
    assert text.count("\x1b") == 2
    assert "\x1b" not in in_a_terminal("claim", "settings.seed", "--rerun", NO_COLOR="1")[1]


def test_a_long_list_is_shown_in_the_pager_and_json_and_other_answers_are_not():
    code, text = in_a_terminal("claims", "control.head*", **PAGED)
    assert code == 0
    assert text.startswith("paged: id  ")
    assert all(line.startswith("paged: ") for line in text.splitlines())
    for words in (("claims", "control.rows", "--json"), ("claim", "control.rows")):
        assert "paged: " not in in_a_terminal(*words, **PAGED)[1]


@pytest.mark.parametrize(
    ("variables", "terminal", "pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_who_sees_colours(monkeypatch, variables, terminal, pipe):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert shown.in_colour(Terminal()) == terminal
    assert shown.in_colour(io.StringIO()) == pipe


@pytest.mark.parametrize(
    "line",
    [
        "counts     443 counts  holds         each count against the closed formula",
        "   0       1.91e-07   2.14e-05          0       8.91e-03  holds",
        "holds: all 6,400 elements lie within their bounds",
        "media/school/fused holds, as far as a quick audit sees",
        "out does not hold: crate",
        "claims: does not hold",
        "not certified: 1 of 3 heads, for the reasons above",
        "refused        none.safetensors",
        "nothing is in the way",
        "in the way:",
    ],
)
def test_a_verdict_is_coloured_wherever_an_answer_says_one(line):
    found = shown.coloured(line)
    assert found.count("\x1b[") == 2
    assert re.sub(r"\x1b\[\d+m", "", found) == line


@pytest.mark.parametrize("line", ["it holds what was refused them", "a not verified claim"])
def test_a_word_in_prose_is_not(line):
    assert shown.coloured(line) == line


def test_json_has_no_colour_even_where_it_is_forced(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["claims", "control.rows", "--json"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert main(["claim", "settings.seed"]) == 0
