"""Which environment a script belongs to: its first line names an interpreter by its whole path."""

from __future__ import annotations

import os
import re
from pathlib import Path

# A path that is too long for a first line is handed to a shell in the second.
SHEBANG = re.compile(rb"#!(?:/bin/sh\n'''exec' )?\"?(?P<python>/[^\n\"]*/bin/python[0-9.]*)[\" \n]")
BEGINNING = 4096  # bytes: Linux's longest path


def environment(script: Path) -> Path | None:
    """The environment whose Python a script names, if it names one."""
    try:
        if script.is_symlink() or not script.is_file():
            return None
        with script.open("rb") as file:
            found = SHEBANG.match(file.read(BEGINNING))
    except OSError:
        return None
    return Path(os.fsdecode(found["python"])).parents[1] if found else None
