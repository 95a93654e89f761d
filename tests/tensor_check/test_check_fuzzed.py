"""Whatever a file holds: an exit code, at most one sentence, no traceback, little memory.

`FUZZ_EXAMPLES=20000 pytest tests/tensor_check/test_check_fuzzed.py` looks longer; what it finds
becomes a seed in tests/fuzz_seeds/safetensors/, which is replayed here.
"""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from support import fuzzed_files
from support.fuzzed_check import SEEDS, Checker, require_answer
from support.hostile_files import HOSTILE

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
PATHS = sorted(SEEDS.iterdir())


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    found = Checker(tmp_path_factory.mktemp("fuzz"))
    yield found
    found.close()


def test_seeds_are_answered_and_reach_every_exit_code(checker):
    codes = set()
    for path in PATHS:
        answer = checker(path.read_bytes())
        require_answer(answer, checker.folder)
        codes.add(answer["code"])
    assert codes == {0, 1, 2}


def test_hostile_files_are_refused_by_the_command(checker):
    for name, (content, _) in HOSTILE.items():
        answer = checker(content)
        assert require_answer(answer, checker.folder), name
        assert answer["code"] == 2, name


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fuzzed_files.contents)
def test_any_file_is_answered(checker, content):
    require_answer(checker(content), checker.folder)
