"""A package that is not installed: one sentence and exit code 2; our own faults stay tracebacks."""

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from fusedfacts.cli import main
from fusedfacts.doctor import lacking
from fusedfacts.doctor.interpreter import MEND_ACTIVATE, MEND_VENV
from fusedfacts.pipeline import closure
from support.common import ROOT
from support.doctor_clones import healthy, write
from support.workflow_runs import SNAKEMAKE, copy_of_repository, environment

LACKS = """import sys
class Lacks:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Lacks())
"""


def lack(folder, module):
    """A folder for Python's path, without one package; Python reads it as it starts."""
    write(folder / "sitecustomize.py", LACKS.format(name=module))
    return str(folder)


def missing(name):
    return ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_in_the_clone_s_environment_it_is_set_up_anew(tmp_path):
    place = healthy(tmp_path)
    error = lacking.fault(missing("numpy.linalg"), place.root, str(place.venv))
    assert str(error) == f".venv: found no numpy, expected all of requirements.txt; {MEND_VENV}"
    assert error.exit_code == 2


def test_another_interpreter_gives_way_to_the_environment_or_that_is_made(tmp_path):
    place = healthy(tmp_path)
    error = lacking.fault(missing("jinja2"), place.root, "/usr")
    assert str(error).startswith("Python of /usr: found no jinja2, expected")
    assert str(error).endswith(MEND_ACTIVATE)
    shutil.rmtree(place.venv)
    assert str(lacking.fault(missing("jinja2"), place.root, "/usr")).endswith(lacking.MEND_FRESH)


@pytest.mark.parametrize("name", ["nunpy", "fusedfacts.nothing", "num", None, ""])
def test_what_the_lock_does_not_name_is_our_own_fault(tmp_path, name):
    place = healthy(tmp_path)
    assert lacking.fault(missing(name), place.root) is None
    with pytest.raises(ModuleNotFoundError), lacking.told():
        raise missing(name)


def test_without_a_lock_nothing_is_guessed(tmp_path):
    assert lacking.fault(missing("numpy"), tmp_path) is None


def test_every_package_that_the_library_imports_is_known():
    names = set()
    for path in Path(closure.LIBRARY).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module.partition(".")[0])
    names -= {*sys.stdlib_module_names, "fusedfacts"}
    assert names == set(lacking.NEEDED)
    for name in names:
        assert lacking.fault(missing(name)) is not None, name


def test_no_other_name_is_wrong():
    installed = metadata.packages_distributions()
    for module, package in lacking.INSTALLED_AS.items():
        assert package in map(str.lower, installed[module])


def test_a_package_that_is_gone_is_seen_without_importing_it(tmp_path, monkeypatch):
    lacking.require()
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "emptied" / "__pycache__").mkdir(parents=True)
    for name in ("emptied", "never_there"):
        with pytest.raises(ModuleNotFoundError) as raised:
            lacking.require(["json", name])
        assert raised.value.name == name


def test_the_command_says_it_in_words_and_in_json(tmp_path):
    path = os.pathsep.join([lack(tmp_path, "numpy"), str(ROOT / "workflow")])
    done = subprocess.run(
        [sys.executable, "-m", "fusedfacts", "count", "--n", "64", "--d", "16", "--json"],
        cwd=ROOT,
        env=environment(PYTHONPATH=path),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert re.fullmatch(r"error: [^\n]+: found no numpy, expected [^\n]+\n", done.stderr)
    assert '"error"' in done.stdout


def test_a_fault_of_our_own_stays_a_traceback(monkeypatch):
    def broken(words):
        raise missing("fusedfacts.nothing")

    monkeypatch.setattr(main, "answer", broken)
    with pytest.raises(ModuleNotFoundError):
        main.main([])


@pytest.mark.workflow
def test_the_workflow_says_it_before_anything_runs(tmp_path):
    copy = copy_of_repository(tmp_path / "copy")
    path = lack(tmp_path / "path", "safetensors")
    done = subprocess.run(
        [*SNAKEMAKE, "-n"],
        cwd=copy,
        env=environment(PYTHONPATH=path),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert ": found no safetensors, expected all of requirements.txt; run `" in sentence
