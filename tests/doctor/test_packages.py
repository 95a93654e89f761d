"""The lock against what is installed, and a missing package: one sentence and exit code 2."""

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from fusedfacts.doctor import packages
from fusedfacts.doctor.site import ACTIVATE, REINSTALL
from fusedfacts.pipeline import closure
from support.common import ROOT
from support.doctor_clones import install, write
from support.workflow_runs import copy_of_repository, run

LACKS = """import sys
class Lacks:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Lacks())
"""


def missing(name):
    return ModuleNotFoundError(f"No module named {name!r}", name=name)


def sentences(site):
    there = packages.installed([*site.venv.glob("lib/*/site-packages")])
    found = packages.compare(packages.locked(site.root), there).findings
    return [finding.sentence for finding in found]


def test_every_requirement_is_one_version_with_hashes_and_names_no_index():
    pins = packages.locked(ROOT)
    assert {"numpy", "snakemake"} < {pin.name for pin in pins}
    assert len({pin.name for pin in pins}) == len(pins) > 50
    text = (ROOT / "requirements.txt").read_text()
    assert len(re.findall(r"^\S+==.*\\\n +--hash=sha256:", text, re.MULTILINE)) == len(pins)
    assert len(re.findall(r"^[^ #\n]", text, re.MULTILINE)) == len(pins)
    assert not re.search(r"https?:|index.url|find-links", text)


def test_no_text_of_the_repository_names_a_package_registry():
    # In parts, so that this file is not one of those that name them.
    registries = "|".join(("py" + "pi", "python" + "hosted"))
    found = subprocess.run(["git", "grep", "-liIE", registries], cwd=ROOT, capture_output=True)
    assert found.stdout == b""


def test_packages_as_locked_and_others_besides_are_fine(site):
    install(site.root, "black", "1.0")
    assert sentences(site) == []


def test_a_missing_package_and_another_version(site):
    for name in ("jinja2", "numpy"):
        shutil.rmtree(next(site.venv.rglob(f"{name}*")))
    install(site.root, "NumPy", "2.0.1")
    assert sentences(site) == [
        f".venv: found no jinja2, expected all of requirements.txt; {REINSTALL}",
        ".venv: found numpy 2.0.1, expected numpy 2.4.6 as in requirements.txt; " + REINSTALL,
    ]


def test_a_missing_package_is_set_up_in_the_environment_that_is_or_should_be(site):
    found = "found no jinja2, expected all of requirements.txt"
    own = packages.missing_package(missing("jinja2.ext"), site.root, str(site.venv))
    assert str(own) == f".venv: {found}; {REINSTALL}"
    other = packages.missing_package(missing("jinja2"), site.root, "/usr")
    assert str(other) == f"Python of /usr: {found}; {ACTIVATE}"
    shutil.rmtree(site.venv)
    bare = packages.missing_package(missing("jinja2"), site.root, "/usr")
    assert str(bare) == f"Python of /usr: {found}; {packages.SET_UP}"


@pytest.mark.parametrize("name", ["nunpy", "fusedfacts.nothing", "num", None])
def test_what_the_lock_does_not_name_is_our_own_fault(name):
    with pytest.raises(ModuleNotFoundError), packages.missing_named():
        raise missing(name)


def test_every_package_that_the_library_imports_is_known():
    names = set()
    for path in Path(closure.LIBRARY).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module.partition(".")[0])
    names -= {*sys.stdlib_module_names, "fusedfacts"}
    names -= {"torch"}  # whoever hands over a tensor of its own has it
    names -= {"shtab"}  # only `fusedfacts completion` imports it, which says where it is missing
    assert names == set(packages.IMPORTED)
    for name in names:
        assert packages.missing_package(missing(name)) is not None, name
    installed = metadata.packages_distributions()
    for module, package in packages.INSTALLED_AS.items():
        assert package in map(str.lower, installed[module])


def test_a_package_that_is_gone_is_seen_without_importing_it(tmp_path, monkeypatch):
    packages.require()
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "emptied" / "__pycache__").mkdir(parents=True)
    for name in ("emptied", "never_there"):
        with pytest.raises(ModuleNotFoundError) as raised:
            packages.require(["json", name])
        assert raised.value.name == name


def without(folder, module):
    """A folder for Python's path, without one package; Python reads it as it starts."""
    write(folder / "sitecustomize.py", LACKS.format(name=module))
    return str(folder)


def test_the_command_says_it_in_words_and_in_json(tmp_path):
    path = os.pathsep.join([without(tmp_path, "numpy"), str(ROOT / "workflow")])
    words = ["fusedfacts", "count", "--n", "64", "--d", "16", "--json"]
    done = run(ROOT, command=[sys.executable, "-m", *words], PYTHONPATH=path)
    assert done.returncode == 2
    assert re.search(r"^error: [^\n]+: found no numpy, expected", done.stdout, re.MULTILINE)
    assert '"error"' in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.workflow
def test_the_workflow_says_it_before_anything_runs(tmp_path):
    copy = copy_of_repository(tmp_path / "copy")
    done = run(copy, "-n", PYTHONPATH=without(tmp_path / "path", "safetensors"))
    assert done.returncode == 2
    assert "Traceback" not in done.stdout
    (sentence,) = [line for line in done.stdout.splitlines() if line.startswith("error: ")]
    assert ": found no safetensors, expected all of requirements.txt; run `" in sentence
