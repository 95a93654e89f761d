"""Whatever a file holds: an exit code, at most one sentence, no traceback, little memory.

`FUZZ_EXAMPLES=20000 pytest tests/tensor_check/test_check_fuzzed.py` looks longer; what it finds
becomes a seed in tests/fuzz_seeds/safetensors/, which is replayed here.
"""

import contextlib
import io
import os
import re
import resource
from pathlib import Path

import pytest
from fusedfacts.cli.main import main
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import fuzzed_files
from support.hostile_files import HOSTILE

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
SEEDS = Path(__file__).parents[1] / "fuzz_seeds" / "safetensors"
WRITE = ["--write", "out.safetensors"]
OPTIONS = (
    [*WRITE, "--layout", "hnd"],
    [*WRITE, "--causal"],
    ["--layout", "nhd", "--causal", "bottom-right", "--window", "1"],
    ["--layout", "hnd", "--softcap", "1e-30", "--scale", "1e30"],
    ["--layout", "bhnd", "--recipe", "bf16-scores", "--window", "2,-1", "--align", "top-left"],
    [],
)
MORE = 2**30  # bytes that a check may map: the compiler, and some tiles of numbers


@pytest.fixture
def folder(tmp_path):
    """A folder to work in, in which this process can have little more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(
        resource.RLIMIT_AS, (pages * resource.getpagesize() + MORE, resource.RLIM_INFINITY)
    )
    with contextlib.chdir(tmp_path):
        yield tmp_path
    resource.setrlimit(resource.RLIMIT_AS, before)


def answered(content, options):
    """The exit code for a file of that content, of an answer that is as every answer must be."""
    Path("in.safetensors").write_bytes(content)
    written = Path("out.safetensors")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["check", "in.safetensors", *options])
    assert {path.name for path in Path().iterdir()} <= {"in.safetensors", "out.safetensors"}
    # With a tensor o the wish to write is refused, so that whatever else goes through is written.
    assert written.exists() == (code != 2 and WRITE[0] in options)
    written.unlink(missing_ok=True)
    said, refused = out.getvalue(), err.getvalue()
    if code == 2:
        assert not said
        assert re.fullmatch(r"error: [^\n]+\n", refused)
        assert refused[:-1].isprintable()
        assert len(refused) < 1000
        return code
    assert refused == ""
    verdicts = {0: "holds: ", 1: ("does not hold: ", "not certified: ")}
    assert said.splitlines()[-1].startswith(verdicts[code])
    return code


def test_seeds_are_answered_and_reach_every_exit_code_and_hostile_files_are_refused(folder):
    seeds = [path.read_bytes() for path in SEEDS.iterdir()]
    asked = OPTIONS[0], WRITE
    assert {answered(content, words) for content in seeds for words in asked} == {0, 1, 2}
    assert {answered(content, []) for content, _ in HOSTILE.values()} == {2}


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fuzzed_files.contents, st.sampled_from(OPTIONS))
def test_any_file_is_answered(folder, content, options):
    answered(content, options)
