"""Print a script by which your shell completes commands, options, files, ids.

bash: eval "$(fusedfacts completion bash)" in ~/.bashrc, or write the script to
      ~/.local/share/bash-completion/completions/fusedfacts
zsh:  write it to a file _fusedfacts in a folder of $fpath
fish: write it to ~/.config/fish/completions/fusedfacts.fish

A new shell then completes on TAB. Nothing of fusedfacts runs for that, but for
the id of a claim `fusedfacts claims`. Print the script anew after an update.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fusedfacts.cli import options
from fusedfacts.terminal import Answer

SHELLS = ("bash", "zsh", "fish")
IDS = "fusedfacts claims 2>/dev/null | tail -n +2 | cut -d ' ' -f 1"  # the first line has titles
IDS_OF = {("claim", "id"), ("claims", "pattern")}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    convert = options.one_of(SHELLS)
    parser.add_argument("shell", type=convert, choices=SHELLS, help="which shell it is for")


def run(given: argparse.Namespace) -> Answer:
    """Write the script, from the parser of every subcommand."""
    import shtab  # which only this needs

    from fusedfacts.cli import main

    top, commands = main.parser(*main.COMMANDS)
    for name, command in commands.items():
        for action in command._actions:
            if action.type is Path:
                _complete(action, shtab.FILE)
            elif (name, action.dest) in IDS_OF:
                _complete(action, shtab.cmd(IDS))
    script = shtab.complete(top, given.shell).rstrip("\n") + "\n"
    return Answer({"shell": given.shell, "script": script}, script.splitlines())


def _complete(action: Any, how: dict[str, Any]) -> None:
    """Say how an argument is completed, where shtab looks for it."""
    action.complete = how
