"""What `--help` says, and that a terminal of the usual width holds sentences."""

import pytest
from fusedfacts import terminal
from fusedfacts.cli import main
from fusedfacts.numerics import jit
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("words", [[], *([command] for command in main.COMMANDS)])
def test_help_is_no_wider_than_a_terminal(capsys, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", str(terminal.WIDTH))
    with pytest.raises(SystemExit) as leaving:
        main.main([*words, "--help"])
    assert not leaving.value.code
    assert max(map(len, capsys.readouterr().out.splitlines())) <= terminal.WIDTH


def test_whoever_waits_is_told_why_once(capsys, monkeypatch):
    """Of compiling, which numerics/jit.py tells of; nobody is told by a job of the workflow."""
    assert terminal.waiting == []
    monkeypatch.setattr(terminal, "waiting", [])
    monkeypatch.setattr("sys.argv", ["fusedfacts", "count", "--n", "3", "--d", "16"])
    with pytest.raises(SystemExit, match="0"):
        main.script()
    for _ in range(2):
        [told(jit.COMPILING) for told in terminal.waiting]
    assert capsys.readouterr().err == f"{jit.COMPILING}\n"


@given(st.lists(st.text("abc-", min_size=1, max_size=70), min_size=1))
def test_a_wrapped_sentence_keeps_its_words_and_the_width(parts):
    lines = terminal.wrapped(" ".join(parts))
    assert " ".join(line.strip() for line in lines) == " ".join(parts)
    assert max(map(len, lines)) <= terminal.WIDTH
    assert all(line.startswith(terminal.INDENT) for line in lines[1:])


@given(st.lists(st.text("a1.")))
def test_any_ids_can_be_compared(ids):
    assert sorted(sorted(ids, key=terminal.natural)) == sorted(ids)
