"""Transcripts of the command: each `$ fusedfacts ...` and what it prints, to the character.

    PYTHONPATH=tests python -m support.transcripts [NAME ...]    # rewrite them

A transcript runs in an empty folder that holds the files of `transcript_files.py`. What goes to
stderr stands with `! ` before it, an exit code other than 0 in brackets behind. Lines that begin
with `# ` are for the reader.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "transcripts"
PROMPT = "$ fusedfacts "
WIDTH = "80"


class Marked(io.StringIO):
    """Stderr, each line marked, within the same stream as stdout."""

    def __init__(self, stream):
        super().__init__()
        self.stream = stream

    def write(self, text):
        for line in filter(None, text.split("\n")):
            self.stream.write(f"! {line}\n")
        return len(text)


def said(words):
    """What one command prints, and its exit code."""
    from fusedfacts.cli.main import main

    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(Marked(stream)):
        try:
            code = main(words)
        except SystemExit as leaving:  # --help leaves on its own
            code = leaving.code or 0
    return stream.getvalue() + (f"[{code}]\n" if code else "")


def rerun(text, folder):
    """A transcript with what its commands print now, in `folder`."""
    lines = []
    with contextlib.chdir(folder):
        for line in text.splitlines():
            if line.startswith("# "):
                lines.append(f"{line}\n")
            elif line.startswith(PROMPT):
                lines.append(f"{line}\n{said(shlex.split(line.removeprefix(PROMPT)))}\n")
    return "".join(lines).rstrip("\n") + "\n"


def current(path):
    """What the transcript should say, run in a folder of its own."""
    from support import transcript_files

    os.environ["COLUMNS"] = WIDTH
    os.environ.pop("FORCE_COLOR", None)
    with tempfile.TemporaryDirectory() as folder:
        transcript_files.write(Path(folder))
        return rerun(path.read_text(encoding="utf-8"), folder)


if __name__ == "__main__":
    names = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.txt"))
    for path in (FOLDER / f"{name}.txt" for name in names):
        path.write_text(current(path), encoding="utf-8")
        print(path)
