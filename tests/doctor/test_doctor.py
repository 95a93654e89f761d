"""`fusedfacts doctor` as a whole: of a healthy clone, of an ill one, and of a bare machine."""

import json
import os
import re
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest
from fusedfacts.cli.doctor import run
from fusedfacts.doctor import adapters, clone, examination, freshness, machine, place, told
from fusedfacts.doctor.adapters import Adapters
from fusedfacts.documents import schema
from fusedfacts.pipeline import closure as imports
from support.common import ROOT
from support.doctor_clones import LOCK, elsewhere, healthy, write
from support.workflow_runs import copy_of_repository, environment

TODAY = date(2026, 12, 1)
DEVICE = Adapters(("a device",))
ROOM = machine.Machine(2, None, 10**12, {"make": "/bin/make", "git": None}, None)


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """A healthy clone on a machine with room."""
    monkeypatch.setattr(machine, "has", lambda *_: ROOM)
    return healthy(tmp_path)


def looks(found):
    return [finding.look for finding in found.findings]


def test_a_healthy_clone_has_no_findings(seen):
    assert examination.examined(seen, TODAY, DEVICE).findings == []


def test_a_fresh_copy_of_this_repository_has_no_findings(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "has", lambda *_: ROOM)
    copy = copy_of_repository(tmp_path / "copy")
    fresh = elsewhere(place.here(), root=copy, working=copy, environment={})
    found = examination.examined(fresh, TODAY, Adapters(trouble="none here"))
    assert found.findings == []
    assert found.packages_of == examination.INTERPRETER
    assert not found.clone.ready
    assert not found.made.finished
    assert found.clone.publishes_to == "media/school/fused"


def test_each_illness_is_in_one_answer(seen):
    """All looks take part: each illness planted at once."""
    for path, text in (
        ("requirements.txt", LOCK.replace("2.4.6", "2.4.7")),
        ("config.yaml", "publish_to: media/out\r\nprobe: probe.txt\nprobe_sha256: '0'\n"),
        (".snakemake/locks/0.input.lock", "x"),
        ("results/.facts.json.abcd1234.part", ""),
        ("probe.txt", "another"),
    ):
        write(seen.root / path, "")
        (seen.root / path).write_bytes(text.encode())
    ill = elsewhere(seen, prefix=seen.root)
    found = examination.examined(ill, TODAY, Adapters(trouble="a crash", broken=True))
    assert looks(found) == [
        *("interpreter", "packages", "adapters", "snakemake", "model"),
        *("line endings", "leftovers"),
    ]
    for finding in found.findings:
        assert re.fullmatch(r"[^\n]+: found [^\n]+, expected [^\n]+; [^\n]+", finding.sentence)
        assert finding.sentence.endswith(finding.mend)
        assert "`" in finding.mend


@pytest.mark.parametrize("text", [None, "numpy\n", b"\xff", LOCK + f"x==1 ; a()  {LOCK[-72:]}"])
def test_a_lock_that_cannot_be_read_is_a_finding(seen, text):
    path = seen.root / "requirements.txt"
    path.unlink()
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = examination.examined(seen, TODAY, DEVICE)
    assert looks(found) == ["lock"]
    assert "\n" not in found.findings[0].sentence


def test_a_disk_without_room_and_a_machine_without_make(seen):
    poor = machine.Machine(1, None, 10**9, {"make": None, "git": None}, None)
    first, second = machine.look(seen.root, seen.root / "media", poor)
    assert first.sentence == (
        "make: found none, expected it on the path; run `sudo apt-get install make`"
    )
    assert second.found == "1.0 GB free"


@pytest.mark.parametrize("name", ["media/out", "results", machine.CACHE.as_posix()])
def test_a_folder_that_cannot_be_written_is_named(seen, monkeypatch, name):
    folder = seen.root / name
    folder.mkdir(parents=True)
    allowed = os.access  # a superuser may write everywhere, so what the system says is planted
    monkeypatch.setattr(os, "access", lambda path, mode: path != folder and allowed(path, mode))
    (finding,) = machine.look(seen.root, seen.root / "media/out", ROOM)
    assert finding.sentence.startswith(f"{name}: found a folder that cannot be written")
    assert f"chmod -R u+rwX {name}" in finding.mend


def test_a_file_where_a_folder_belongs_cannot_be_written(seen):
    write(seen.root / "results")
    assert machine.writable(seen.root / "media/out")
    assert not machine.writable(seen.root / "results/devices")


def test_memory_is_what_the_system_says_or_unknown(tmp_path):
    table = write(tmp_path / "meminfo", "Buffers: 1 kB\nMemTotal:   2000 kB\n")
    assert machine.total_memory(table) == 2000 * 1024
    assert machine.total_memory(tmp_path / "none") is None


def test_tools_and_browser_are_those_on_the_path(tmp_path):
    for name in ("git", "chromium"):
        write(tmp_path / name, mode=0o755)
    has = machine.has(tmp_path, {"PATH": str(tmp_path)})
    assert has.tools == {"make": None, "git": str(tmp_path / "git")}
    assert has.browser == str(tmp_path / "chromium")
    assert machine.has(tmp_path, {"PATH": "", "CHROMIUM": str(tmp_path / "git")}).browser
    assert machine.has(tmp_path, {"PATH": str(tmp_path), "CHROMIUM": "none"}).browser is None


@pytest.mark.parametrize(
    ("program", "trouble", "broken"),
    [
        ("import os; os.kill(os.getpid(), 11)", "a crash (SIGSEGV)", True),
        ("import time; time.sleep(60)", "no answer within 0.5 s", True),
        ("import sys; sys.exit('error: none; install')", "none; install", False),
        ("import no_such_module", "not to be asked before `make facts`", False),
        ("raise SystemExit(2)", "no word", False),
    ],
)
def test_a_driver_may_crash_hang_or_be_missing(program, trouble, broken):
    begun = time.monotonic()
    found = adapters.asked([sys.executable, "-c", program], ROOT, os.environ, seconds=0.5)
    assert time.monotonic() - begun < 10
    assert found.trouble.startswith(trouble)
    assert found.names == ()
    assert bool(adapters.look(found)) is broken


def test_devices_are_listed_one_a_line():
    found = adapters.asked([sys.executable, "-c", "print('one\\ntwo')"], ROOT, os.environ, 30)
    assert found == Adapters(("one", "two"))
    assert adapters.asked(["/no/such/python"], ROOT, os.environ).trouble.startswith("the listing")


def test_the_clone_s_own_interpreter_is_asked(seen, tmp_path):
    assert adapters.command(seen)[0] == str(seen.venv / "bin/python")
    assert adapters.command(elsewhere(seen, root=tmp_path))[0] == sys.executable


def test_what_the_two_commands_will_do(seen):
    plan = clone.read(seen.root)
    assert plan == clone.Clone(True, "media/out")
    nothing = freshness.Freshness(finished=False)
    assert clone.make_facts(plan, 92, nothing) == (
        "uses .venv; runs all that is not made yet, then replaces media/out"
    )
    os.utime(seen.root / ".venv/ready", (0, 0))
    stale = clone.make_facts(clone.read(seen.root), 92, nothing)
    assert stale.startswith("makes .venv and installs 92 packages; runs all")
    assert clone.make_test(browser=True, device=True) == "runs all, none skipped"


@pytest.mark.parametrize("listing", [DEVICE, Adapters(trouble="a crash", broken=True)])
def test_the_document_fits_its_schema_and_the_lines_say_the_same(seen, listing):
    (seen.root / "requirements.txt").write_text(LOCK.replace("2.4.6", "2.4.7"))
    found = examination.examined(seen, TODAY, listing)
    document = told.document(seen, found)
    schema.validate(document, "doctor", "doctor", "correct told.py")
    assert document["holds"] is False
    lines = dict(told.lines(seen, found))
    assert lines["packages"] == "1 of 2 in .venv as locked, not so numpy; 0 besides"
    assert lines["pins"] == "oldest unknown; 0 older than a year; 2 undated"
    assert lines["machine"] == "2 cores, memory unknown, 1000.0 GB of disk free"
    assert lines["tools"] == "make: /bin/make, git: none"


def test_the_command_here_and_now(monkeypatch):
    """Of this machine nothing is expected but that its answer is one."""
    monkeypatch.setattr(adapters, "asked", lambda *_: DEVICE)
    answer = run(None)
    schema.validate(answer.document, "doctor", "doctor", "correct told.py")
    assert answer.holds is answer.document["holds"] is (not answer.document["findings"])
    monkeypatch.setenv("COLUMNS", "60")
    narrow = run(None).lines
    assert all(len(line) <= 60 or "`" in line or "/" in line for line in narrow)
    monkeypatch.setenv("COLUMNS", "1000")
    text = "\n".join(run(None).lines)
    assert text.split() == "\n".join(narrow).split()
    assert re.match(r"Python +3\.\d+\.\d+, /", text)
    assert re.search(r"^pins +oldest .+\(\d{4}-\d\d-\d\d\).+ older than a year", text, re.MULTILINE)
    assert ("nothing is in the way" in text) is answer.holds
    assert text.count("\n- ") == len(answer.document["findings"])


def test_a_machine_with_nothing_installed_gets_an_answer(tmp_path):
    """No site-packages at all, no git, no .venv: still a whole answer, and nothing written."""
    copy = copy_of_repository(tmp_path / "copy")
    before = set(copy.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-S", "-B", "-m", "fusedfacts", "doctor", "--json"],
        cwd=copy,
        env=environment(PYTHONPATH=str(copy / "workflow"), PATH="/nowhere"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    document = json.loads(done.stdout)
    schema.validate(document, "doctor", "doctor", "correct told.py")
    assert document["packages"]["of"] == "this interpreter"
    assert "numpy" in document["packages"]["missing"]
    assert [f["sentence"].split(":")[0] for f in document["findings"]][:1] == ["make"]
    assert done.returncode == 1
    # The listing of adapters is another process, which may compile what it imports.
    assert {p for p in copy.rglob("*") if "__pycache__" not in p.parts} == before


def test_the_doctor_needs_nothing_but_python():
    for path in imports.closure("fusedfacts.cli.main", "fusedfacts.cli.doctor"):
        text = Path(path).read_text(encoding="utf-8")
        names = re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE)
        # Without PyYAML there, the look at the model's files says nothing.
        allowed = {"yaml"} if path.endswith("model_files.py") else set()
        assert set(names) <= {*sys.stdlib_module_names, "fusedfacts", *allowed}, path
