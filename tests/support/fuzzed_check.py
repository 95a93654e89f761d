"""`fusedfacts check` on one file after another, in a process with little memory, watched.

Each line of its input is a command line as a JSON list, each line of its output what came of it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import select
import subprocess
import sys
import warnings
from pathlib import Path

SEEDS = Path(__file__).parents[1] / "fuzz_seeds" / "safetensors"
ADDRESS_SPACE = 3 * 2**29  # bytes: what Python, NumPy and the compiler map, and about half as much
SECONDS = 600  # for one file; the first is compiled for


def serve():
    """Answer each line of stdin: exit code and both outputs."""
    from fusedfacts.cli.main import main

    warnings.simplefilter("always")
    for line in sys.stdin:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(json.loads(line))
        answer = {"code": code, "out": out.getvalue(), "err": err.getvalue()}
        print(json.dumps(answer), flush=True)


class Checker:
    """The process that `serve` runs in, within a folder of its own."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.fuzzed_check"],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
                "OPENBLAS_NUM_THREADS": "1",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE,) * 2),
        )

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=SECONDS)
        self._process.stdout.close()

    def __call__(self, content, *options):
        """What came of a file of that content, in time and without ending the process."""
        (self.folder / "in.safetensors").write_bytes(content)
        words = ["check", "in.safetensors", "--write", "out.safetensors", *options]
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
        assert ready, "no answer in time"
        line = self._process.stdout.readline()
        assert line, "the process ended"
        return json.loads(line)


def require_answer(answer, folder):
    """Require of an answer what every answer must be; its sentence or verdict is returned."""
    code, out, err = answer["code"], answer["out"], answer["err"]
    written = folder / "out.safetensors"
    names = {"in.safetensors", "out.safetensors"}
    assert {path.name for path in folder.iterdir()} <= names
    assert code in (0, 1, 2), answer
    assert "Traceback" not in out + err
    if code == 2:
        assert not out
        assert not written.exists()
        assert re.fullmatch(r"error: [^\n]+\n", err)
        assert err[:-1].isprintable()
        assert len(err) < 1000
        return err
    assert err == ""
    # With a tensor o the wish to write is refused, so that whatever else goes through is written.
    assert written.exists()
    written.unlink()
    verdict = out.rstrip("\n").rsplit("\n", 1)[1]
    assert verdict.startswith(("holds: ",) if code == 0 else ("does not hold: ", "not certified: "))
    return verdict


if __name__ == "__main__":
    serve()
