"""Heads of one's own through the workflow, to a folder of one's own, which audits hold."""

import json
import shlex
import subprocess
import sys

import pytest
import yaml
from fusedfacts.attention.problem import HEAD_DIMS
from fusedfacts.experiments import heads, heads_file
from fusedfacts.model import weights
from support import own_heads
from support.common import ROOT
from support.workflow_runs import SMALL, finished, run

pytestmark = pytest.mark.workflow
COMMAND = [sys.executable, "-m", "fusedfacts"]
OWN = ["--configfile", "own.yaml"]


def given(folder, dtype="F32", **changes):
    """A file of heads in a folder, and the config that names it."""
    own = {**SMALL, **own_heads.given(folder, dtype), **changes}
    (folder / "own.yaml").write_text(yaml.safe_dump(own))
    return own


@pytest.mark.slow
def test_what_the_document_says_of_heads_is_what_happens(clone, tmp_path):
    """With the film, of whose page heads are no part: they are judged and not published."""
    subprocess.run(
        [sys.executable, "-c", own_heads.documented("python")[0]], cwd=tmp_path, check=True
    )
    own = json.loads((tmp_path / "mine.yaml").read_text())
    sizes = {"n_values": [64], "head_dims": [16, 32], "film_words": 64, "film_wide": 32}
    (tmp_path / "mine.yaml").write_text(json.dumps({**SMALL, **sizes, "film": True, **own}))
    said = []
    for line in own_heads.documented("sh")[0].replace("../fused-facts", str(clone)).splitlines():
        name, *rest = shlex.split(line)
        module = [sys.executable, "-m", name]
        done = run(tmp_path, *rest, command=module, PYTHONPATH=f"{clone}/workflow")
        assert done.returncode == 0, done.stdout[-3000:]
        said.append(done.stdout)
    _, claims, claim, rerun, audit = said
    assert "heads.head3.control.cannot_show" in claims
    assert "answers of own head 0 are wrong" in claim
    assert "heads.head0.control.rows_wrong holds" in rerun
    assert "mine holds, as far as a quick audit sees" in audit
    assert "Heads of your own" in (tmp_path / "results/report/claims.html").read_text()
    unnamed = ["claim", "heads.caught", "--rerun", "--facts", "mine/facts.json"]
    done = run(tmp_path, *unnamed, command=COMMAND, PYTHONPATH=f"{clone}/workflow")
    assert done.returncode == 2
    assert "the config names none" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["F16", "BF16"])
def test_a_file_of_two_bytes_a_number_is_judged_as_what_it_holds(clone, tmp_path, dtype):
    own = given(tmp_path, dtype)
    finished(tmp_path, "results/heads.json", "-s", f"{clone}/Snakefile", *OWN)
    found = json.loads((tmp_path / "results" / "heads.json").read_text())
    assert found.pop("file") == {"path": own_heads.NAME, "sha256": own["heads_sha256"]}
    same = own_heads.given(tmp_path)["heads_sha256"]
    rows = {"control_key_rows": 8, "model_key_rows": [4, 8]}
    expected = heads.compute(
        heads=str(tmp_path / own_heads.NAME), heads_sha256=same, heads_causal=True, **rows
    )
    assert found == {key: value for key, value in expected.items() if key != "file"}


def test_a_wrong_file_is_refused_before_anything_runs(clone, tmp_path):
    given(tmp_path)
    content = (tmp_path / own_heads.NAME).read_bytes()
    (tmp_path / own_heads.NAME).write_bytes(content[:-1] + b"\x01")
    done = run(tmp_path, "-n", "-s", f"{clone}/Snakefile", *OWN)
    assert done.returncode == 2
    assert "error: own.safetensors: sha256 found" in done.stdout.replace(f"{tmp_path}/", "")
    assert "Traceback" not in done.stdout


def test_the_document_says_the_limits_of_the_code():
    text = (ROOT / "docs" / "own-model.md").read_text(encoding="utf-8")
    assert f"`n <= {heads_file.N_MOST}`, `heads <= {heads_file.HEADS_MOST}`" in text
    assert f"and `heads <= {weights.HEADS_MOST}`" in text
    assert text.count(f"one of `{', '.join(map(str, HEAD_DIMS))}`") == 2
