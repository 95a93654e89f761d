"""No file of this repository runs code from data, hands text to a shell or opens a connection."""

import ast
import subprocess

import pytest
import yaml
from support import forbidden, formulas
from support.common import ROOT

LISTED = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
TREE = subprocess.run(LISTED, cwd=ROOT, capture_output=True, check=True).stdout.decode()
NAMES = sorted(name for name in TREE.split("\0") if name and (ROOT / name).is_file())
PYTHON = [name for name in NAMES if name.endswith(".py")]
SNAKEFILES = [name for name in NAMES if name == "Snakefile" or name.endswith(".smk")]
# The page's scripts and what is around them; tests steer a browser with scripts of their own.
PAGE = [name for name in NAMES if name.startswith(("workflow/page/", "workflow/templates/"))]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_kind_of_file_is_looked_at():
    assert len(PYTHON) > 150
    assert len(SNAKEFILES) > 5
    assert sum(name.endswith(".js") for name in PAGE) > 30
    assert "workflow/scripts/facts.py" in PYTHON
    assert {name.split("/")[0] for name in PYTHON} >= {"workflow", "model", "tests"}


@pytest.mark.parametrize("name", PYTHON)
def test_python_is_clean(name):
    """Only tests may serve pages to a browser on this machine."""
    assert forbidden.in_python(read(name), network=name.startswith("tests/")) == []


@pytest.mark.parametrize("name", SNAKEFILES)
def test_the_workflow_is_clean(name):
    assert forbidden.in_snakefile(read(name)) == []


@pytest.mark.parametrize("name", PAGE)
def test_the_page_is_clean(name):
    assert forbidden.in_script(read(name)) == []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "import pickle as p",
        "from pickle import loads",
        "def f():\n    import marshal",
        "import shelve",
        "import dill",
        "import numpy, joblib.numpy_pickle",
        "eval(text)",
        "exec(text, {})",
        "compile(text, 'x', 'exec')",
        "import builtins\nbuiltins.eval(text)",
        "from builtins import exec as run\nrun(text)",
        "__import__(name)",
        "import os\nos.system(text)",
        "import os as o\no.popen(text)",
        "from os import system\nsystem(text)",
        "import subprocess\nsubprocess.getoutput(text)",
        "import subprocess\nsubprocess.run(words, shell=True)",
        "import subprocess\nsubprocess.Popen(words, shell=flag)",
        "import subprocess\nsubprocess.run('ls')",
        "from subprocess import run\nrun(f'ls {name}')",
        "from subprocess import check_output\ncheck_output('ls ' + name)",
        "import yaml\nyaml.load(text)",
        "import yaml\nyaml.load(text, Loader=yaml.SafeLoader)",
        "import yaml\nyaml.unsafe_load(text)",
        "from yaml import full_load as load\nload(text)",
        "import numpy as np\nnp.load(path, allow_pickle=True)",
        "import numpy\nnumpy.load(path, allow_pickle=flag)",
        "import tempfile\ntempfile.mktemp()",
        "from tempfile import mktemp\nmktemp()",
        "archive.extractall(folder)",
        "import shutil\nshutil.unpack_archive(path)",
        *(f"import {name}" for name in ("urllib.request", "requests", "socket", "http.client")),
        "from urllib import request",
    ],
)
def test_each_fault_in_python_is_seen(text):
    assert len(forbidden.in_python(text, network=False)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import re\nre.compile(text)",
        "device.compile(text)",
        "frame.eval()",
        "import yaml\nyaml.safe_load(text)",
        "import numpy as np\nnp.load(path, allow_pickle=False)",
        "import subprocess\nsubprocess.run(['ls', name], shell=False)",
        "import tempfile\ntempfile.mkstemp()",
        "from fusedfacts.http import x",
        "import urllib.parse",
        "from urllib.parse import urlsplit",
        "from urllib import parse",
        "'eval(text)'  # import pickle",
    ],
)
def test_what_is_harmless_is_let_through(text):
    assert forbidden.in_python(text, network=False) == []


def test_a_browser_s_server_is_for_tests_only():
    assert forbidden.in_python("import http.server", network=True) == []
    assert forbidden.in_python("import pickle", network=True) != []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from urllib import request",
        "X = eval(text)",
        "os.system(text)",
        "rule x:\n    shell:\n        'ls'",
        "rule x:\n    shell: 'ls {input}'",
        "rule x:\n    run:\n        pass",
        "subprocess.run(text, shell=True)",
        "yaml.load(text)",
        "yaml.unsafe_load(text)",
        "np.load(path, allow_pickle=True)",
    ],
)
def test_each_fault_in_a_snakefile_is_seen(text):
    assert len(forbidden.in_snakefile(f"rule all:\n    input: 'x'\n\n\n{text}\n")) == 1


def test_a_snakefile_may_compile_a_pattern_and_load_yaml_safely():
    assert forbidden.in_snakefile("A = re.compile('x')\nB = yaml.safe_load(text)\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "eval(text)",
        "new Function(text)",
        "setTimeout('run()', 1)",
        "node.innerHTML = text",
        "node.outerHTML += text",
        "node.insertAdjacentHTML('beforeend', text)",
        "document.write(text)",
        "document.writeln(text)",
        "frame.srcdoc = text",
        "range.createContextualFragment(text)",
        "link.href = 'javascript:run()'",
    ],
)
def test_each_fault_in_a_script_is_seen(text):
    assert [line for line, _ in forbidden.in_script(f"const a = 1;\n{text};\n")] == [2]


def test_a_script_may_set_text_and_wait():
    assert forbidden.in_script("node.textContent = a; setTimeout(run, 1); evaluate(x)") == []


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith((".yaml", ".yml"))])
def test_every_yaml_file_is_plain_data(name):
    assert isinstance(yaml.safe_load(read(name)), dict)


@pytest.mark.parametrize(
    "text", ["d.real", "[d]", "open(d)", "(lambda: 1)()", "'x' * d", "d and d", "len(d=1)", "d[0]"]
)
def test_a_document_s_formula_is_arithmetic_or_refused(text):
    with pytest.raises((ValueError, KeyError)):
        formulas.value(ast.parse(text, mode="eval").body, {"d": 2})
