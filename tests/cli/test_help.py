"""What `--help` and `--version` say, and that a terminal of the usual width holds it."""

import tomllib

import pytest
from fusedfacts.cli import main
from fusedfacts.cli.main import version
from fusedfacts.errors import FactsError
from fusedfacts.terminal import WIDTH
from support.common import ROOT


def said(capsys, *words):
    """What is printed by an option that leaves on its own."""
    with pytest.raises(SystemExit) as leaving:
        main.main(words)
    assert not leaving.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [[], *([command] for command in main.COMMANDS)])
def test_help_is_no_wider_than_a_terminal(capsys, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    lines = said(capsys, *words, "--help").splitlines()
    assert [line for line in lines if len(line) > WIDTH] == []


@pytest.mark.parametrize("command", ["check", "count"])
def test_help_names_the_schema_that_explains_every_figure(capsys, command):
    path = f"workflow/schemas/{command}.schema.json"
    assert path in said(capsys, command, "--help")
    assert (ROOT / path).is_file()


def test_the_version_is_that_of_the_project(capsys, tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert said(capsys, "--version") == f"fusedfacts {project['version']}\n"
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "7.8.9"\n', encoding="utf-8")
    assert version(tmp_path) == "7.8.9"


def test_no_project_has_no_version(tmp_path):
    with pytest.raises(FactsError, match=r"pyproject\.toml"):
        version(tmp_path)
