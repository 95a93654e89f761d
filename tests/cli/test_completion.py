"""A shell completes commands, options, choices, files and ids; asked of bash itself."""

import json
import re
import shlex
import subprocess
import sys
from argparse import Namespace

import pytest
from fusedfacts.cli import completion
from fusedfacts.cli.main import COMMANDS, main, parser

BASH = {"shell": "bash"}
# What readline does on TAB: sets the words and the cursor, and calls what `complete -F` names.
ASK = """
source ./script
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); COMP_LINE="${{COMP_WORDS[*]}}"
COMP_POINT=${{#COMP_LINE}}; COMPREPLY=()
function=$(complete -p fusedfacts | sed 's/.*-F \\([^ ]*\\).*/\\1/')
compopt() {{ :; }}
$function fusedfacts "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the script, files, and a `fusedfacts` for the script to call."""
    made = tmp_path_factory.mktemp("completion")
    (made / "mine.safetensors").touch()
    called = made / "bin" / "fusedfacts"
    called.parent.mkdir()
    called.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m fusedfacts "$@"\n')
    called.chmod(0o755)
    (made / "script").write_text(completion.run(Namespace(**BASH)).document["script"])
    return made


def completed(folder, *words):
    asked = ASK.format(words=" ".join(map(shlex.quote, ["fusedfacts", *words])))
    path = f"{folder}/bin:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "--norc", "-c", asked],
        cwd=folder,
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["cl"], {"claims", "claim"}),
        (["count", "--me"], {"--method"}),
        (["count", "--method", ""], {"fused", "kv_outer", "unfused"}),
        (["completion", ""], set(completion.SHELLS)),
        (["check", "mi"], {"mine.safetensors"}),
        (["claim", "control.rows_w"], {"control.rows_wrong"}),
    ],
)
def test_bash_completes(folder, words, found):
    assert set(completed(folder, *words)) == found


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_every_command_and_every_option_that_help_shows_is_in_each_script(capsys, shell):
    assert main(["completion", shell, "--json"]) == 0
    text = json.loads(capsys.readouterr().out)["script"]
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == text
    for name, command in parser(*COMMANDS)[1].items():
        assert name in text
        for option in re.findall("^  .*--([a-z]+)", command.format_help(), re.MULTILINE):
            assert option in text
