"""No file runs code from data, hands text to a shell or opens a connection.

Ruff's rules S and the list of banned modules in pyproject.toml see it in Python; what is no Python,
or hidden from ruff, is held here by name.
"""

import re
import subprocess
import sys

import pytest
from support.common import ROOT

LISTED = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
TREE = subprocess.run(LISTED, cwd=ROOT, capture_output=True, check=True).stdout.decode()
NAMES = sorted(name for name in TREE.split("\0") if name and (ROOT / name).is_file())
PAGE = [name for name in NAMES if name.startswith(("workflow/page/", "workflow/templates/"))]
# Snakefiles, and the scripts that ruff passes over: every job calls the library, nothing else.
WORKFLOW = [
    name for name in NAMES if name.startswith(("Snakefile", "workflow/rules/", "workflow/sc"))
]
IN_PAGE = re.compile(
    r"\beval\s*\(|\bFunction\s*\(|\bset(?:Timeout|Interval)\s*\(\s*[\"'`]|\bjavascript:|\bsrcdoc\b"
    r"|\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bcreateContextualFragment\b"
    r"|\bdocument\s*\.\s*write"
)
IN_WORKFLOW = re.compile(
    r"(?<![\w.])(?:eval|exec|compile|__import__)\s*\(|\bos\.(?:system|popen)\b|\bshell\s*="
    r"|\byaml\s*\.\s*(?!safe_load\b|YAMLError\b)\w+|\ballow_pickle\b|\bextractall\b"
    r"|^\s*(?:import|from)\s+(?:pickle|marshal|urllib|requests|socket|http)\b"
    r"|^\s+(?:shell|run|cwl|notebook|wrapper):",
    re.MULTILINE,
)


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("names", "forbidden"), [(PAGE, IN_PAGE), (WORKFLOW, IN_WORKFLOW)])
def test_what_ruff_does_not_read_is_clean(names, forbidden):
    assert len(names) > 20
    assert [(name, hit[0]) for name in names for hit in forbidden.finditer(read(name))] == []


@pytest.mark.parametrize(
    "text", ["import pickle", "import urllib.request", "eval(x)", "import yaml\nyaml.load(x)"]
)
def test_ruff_sees_a_planted_fault(text):
    command = [sys.executable, "-m", "ruff", "check", "-q", "--stdin-filename", "model/x.py", "-"]
    done = subprocess.run(
        command, cwd=ROOT, input=text, text=True, capture_output=True, check=False
    )
    assert re.search(r"^(S\d+|TID251)", done.stdout, re.MULTILINE)
