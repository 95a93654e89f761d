"""A wheel gives count, check, claims and claim anywhere, from what it declares and holds alone."""

import subprocess
import sys
import zipfile
from importlib import metadata

import pytest
from fusedfacts import terminal
from fusedfacts.cli import main
from fusedfacts.doctor import packages
from packaging.requirements import Requirement
from support.common import PUBLISHED, ROOT
from support.workflow_runs import environment

pytestmark = pytest.mark.slow
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
OFFLINE = ["--no-index", "--no-deps"]
FACTS = PUBLISHED / "facts.json"


def needed(declared):
    """All packages that some requirements bring along on this machine, by their names."""
    found, waiting = set(), list(declared)
    while waiting:
        wanted = waiting.pop()
        name = packages.normal(wanted.name)
        if name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += map(Requirement, metadata.requires(name) or [])
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [*PIP, "wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def declared(wheel):
    """What it declares to need."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        lines = archive.read(name).decode().splitlines()
    head = "Requires-Dist: "
    return [Requirement(line.removeprefix(head)) for line in lines if line.startswith(head)]


@pytest.fixture(scope="module")
def fusedfacts(wheel, declared, tmp_path_factory):
    """The command, where nothing is installed but the wheel and what it declares."""
    venv = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    [site] = venv.glob("lib/python*/site-packages")
    for name in needed(declared):
        found = metadata.distribution(name)
        for top in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
            (site / top).symlink_to(found.locate_file(top))
    subprocess.run([*PIP, f"--python={venv}", "install", *OFFLINE, str(wheel)], check=True)

    def run(*words, cwd=None, program="fusedfacts"):
        command = [str(venv / "bin" / program), *map(str, words)]
        return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True)

    return run


def test_declared_ranges_hold_the_versions_with_which_the_facts_are_made(declared):
    locked = {pin.name: pin.version for pin in packages.locked(ROOT)}
    assert {packages.normal(wanted.name) for wanted in declared} <= locked.keys()
    for wanted in declared:
        assert wanted.specifier.contains(locked[packages.normal(wanted.name)]), wanted
        assert {"<", "==", "~="} & {part.operator for part in wanted.specifier}, wanted


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["count", "--n", 4096, "--d", 64],
        ["count", "--n", 33, "--d", 16, "--emulate", "--json"],
        ["check", "heads.safetensors", "--causal", "--layout", "hnd"],
        ["check", "right.safetensors", "--json"],
        ["claims", "traffic.*"],
        ["claims", "control", "--facts", FACTS, "--json"],
        ["claim", "control.rows_wrong"],
        ["claim", "traffic.fused.n4096.d64", "--facts", FACTS, "--json"],
    ],
)
def test_the_wheel_answers_as_the_clone_does(fusedfacts, folder, capsys, monkeypatch, words):
    done = fusedfacts(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    monkeypatch.setattr(terminal, "waiting", [])  # which the whole command adds itself to
    monkeypatch.setattr(sys, "argv", ["fusedfacts", *map(str, words)])
    with pytest.raises(SystemExit) as leaving:
        main.script()
    assert not leaving.value.code
    assert done.stdout == capsys.readouterr().out


JUDGED = """
import sys, ml_dtypes, numpy as np
from pathlib import Path
import fusedfacts
q, k, v = np.random.default_rng(7).standard_normal((3, 2, 20, 24)).astype(ml_dtypes.bfloat16)
p = np.exp(q.astype(np.float32) @ k.swapaxes(1, 2).astype(np.float32) * np.float32(24**-0.5))
o = p.astype(q.dtype).astype(np.float32) @ v.astype(np.float32) / p.sum(axis=2, keepdims=True)
Path("mine.toml").write_text('base = "bf16"')
for recipe in (None, "mine.toml"):
    print(fusedfacts.judge(q, k, v, o.astype(q.dtype), layout="hnd", recipe=recipe).verdict)
try:
    fusedfacts.assert_attention(q, k, v, o.astype(q.dtype) * q.dtype.type(1.1), layout="hnd")
except AssertionError as fault:
    print(str(fault).split(":")[0])
print("torch" in sys.modules)
try:
    fusedfacts.watch().__enter__()
except fusedfacts.errors.FactsError as fault:
    print(str(fault).split(",")[0])
"""


def test_the_judge_judges_where_the_wheel_is_installed(fusedfacts, tmp_path):
    done = fusedfacts("-c", JUDGED, cwd=tmp_path, program="python")
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        *("holds", "holds", "does not hold, if bf16", "False"),
        "torch: found no such package",
    ]


def test_type_checkers_find_what_is_public_in_the_wheel(wheel):
    with zipfile.ZipFile(wheel) as archive:
        assert {"fusedfacts/py.typed", "fusedfacts/__init__.pyi"} <= set(archive.namelist())


@pytest.mark.parametrize(
    "words",
    ["audit", "audit facts.json", "audit --full", "doctor", "claim control.rows_wrong --rerun"],
)
def test_what_needs_a_clone_says_so(fusedfacts, folder, words):
    done = fusedfacts(*words.split(), cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "found an installed package, expected a clone of the repository" in done.stderr


@pytest.mark.parametrize(
    ("words", "package"),
    [("check mine.safetensors --device any", "wgpu"), ("completion bash", "shtab")],
)
def test_what_is_not_installed_is_named_with_what_installs_it(fusedfacts, folder, words, package):
    done = fusedfacts(*words.split(), cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"found no package {package}, expected it" in done.stderr
    assert f"-m pip install {package}` elsewhere" in done.stderr


def test_within_a_clone_it_asks_whose_facts_are_meant(fusedfacts):
    done = fusedfacts("claims", "control", cwd=ROOT / "docs")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"add `--facts {FACTS}`" in done.stderr
    assert fusedfacts("claims", "control", "--facts", FACTS, cwd=ROOT).returncode == 0


def test_an_editable_install_holds_no_copy_of_anything(tmp_path):
    build = f"import hatchling.build as b; print(b.build_editable({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", build], cwd=ROOT, capture_output=True, text=True)
    with zipfile.ZipFile(tmp_path / done.stdout.strip()) as archive:
        others = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert others == ["_fused_facts.pth"]
