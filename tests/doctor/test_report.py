"""`fusedfacts doctor` as a whole: of a healthy clone, of an ill one, and of a bare machine."""

import json
import re
import sys
from pathlib import Path

import pytest
from fusedfacts.doctor import environment, report
from fusedfacts.documents import schema
from fusedfacts.pipeline import closure
from support.doctor_clones import LOCK, write
from support.workflow_runs import copy_of_repository, run


@pytest.fixture(autouse=True)
def _one_device(monkeypatch):
    monkeypatch.setattr(environment, "list_adapters", lambda site: (["a device"], None))


def examined(site):
    answer = report.examine(site)
    schema.validate(answer.document, "doctor", "doctor", "correct report.py")
    assert answer.holds is answer.document["holds"] is (not answer.document["findings"])
    return answer


def test_a_healthy_clone_has_nothing_in_the_way(site):
    answer = examined(site)
    assert answer.lines[-1] == "nothing is in the way"
    assert answer.lines[1] == "packages  2 of 2 in .venv as locked"


def test_every_illness_is_in_one_answer(site):
    write(site.root / "requirements.txt", LOCK.replace("2.4.6", "2.4.7"))
    write(site.root / "config.yaml", "probe: probe.txt\nprobe_sha256: '0'\n")
    write(site.root / ".snakemake/locks/0.input.lock", "x")
    answer = examined(site._replace(prefix=site.root))
    found = answer.document["findings"]
    looks = [finding["look"] for finding in found]
    assert looks == ["interpreter", "packages", "snakemake", "model"]
    for finding in found:
        assert re.fullmatch(r"[^\n]+: found [^\n]+, expected [^\n]+; [^\n]+", finding["sentence"])
        assert finding["sentence"].endswith(finding["mend"])
        assert "`" in finding["mend"]
    assert "packages  1 of 2 in .venv as locked, not so numpy" in answer.lines
    assert [line[:2] for line in answer.lines[-4:]] == ["- "] * 4


def test_a_machine_with_nothing_installed_gets_an_answer(tmp_path):
    """No site-packages at all, no git, no .venv: still a whole answer, and nothing written."""
    copy = copy_of_repository(tmp_path / "copy")
    before = set(copy.rglob("*"))
    doctor = [sys.executable, "-S", "-B", "-m", "fusedfacts", "doctor", "--json"]
    done = run(copy, command=doctor, PYTHONPATH=str(copy / "workflow"), PATH="/nowhere")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    schema.validate(document, "doctor", "doctor", "correct report.py")
    assert document["packages"]["of"] == "this interpreter"
    assert "numpy" in document["packages"]["missing"]
    # The listing of adapters is another process, which may compile what it imports.
    assert {p for p in copy.rglob("*") if "__pycache__" not in p.parts} == before


def test_the_doctor_needs_nothing_but_python():
    lazily = {"yaml", "tqdm", "jsonschema"}  # within functions that the doctor does not need
    own = {*sys.stdlib_module_names, "fusedfacts"}
    # What the command imports to begin with, the test above has done without.
    for path in closure.closure("fusedfacts.cli.doctor"):
        text = Path(path).read_text(encoding="utf-8")
        found = re.findall(r"^(\s*)(?:from|import) (\w+)", text, re.MULTILINE)
        for within, name in found:
            assert name in own or (within and name in lazily), path
