"""Heads of one's own through the workflow, to a folder of one's own, which audits hold."""

import json
import sys

import numpy as np
import pytest
import yaml
from fusedfacts.documents.files import sha256
from safetensors.numpy import save_file
from support.common import tensors
from support.workflow_runs import SMALL, finished, run

pytestmark = pytest.mark.workflow


def given(folder):
    """A file of two heads, the second of which cannot show the broken rescale, and its config."""
    q, k, v = (np.stack([x] * 2) for x in tensors(24, 16))
    q[1] = 0
    save_file({"q": q, "k": k, "v": v}, folder / "own.safetensors")
    hashed = sha256((folder / "own.safetensors").read_bytes())
    own = {"heads": "own.safetensors", "heads_sha256": hashed, "publish_to": "mine"}
    (folder / "own.yaml").write_text(yaml.safe_dump({**SMALL, **own}))
    return folder


@pytest.mark.slow
def test_heads_are_published_claimed_recomputed_and_audited(clone, tmp_path):
    given(tmp_path)
    finished(tmp_path, "-s", f"{clone}/Snakefile", "--configfile", "own.yaml")
    facts = json.loads((tmp_path / "mine" / "facts.json").read_text())
    shown = [head["control"]["cannot_show"] for head in facts["heads"]["heads"]]
    assert shown == [False, True]
    claims = (tmp_path / "results" / "report" / "claims.html").read_text()
    assert "Heads of your own" in claims
    command = [sys.executable, "-m", "fusedfacts"]
    path = {"PYTHONPATH": f"{clone}/workflow"}
    by = ["--facts", "mine/facts.json"]
    done = run(tmp_path, "claims", *by, command=command, **path)
    assert "heads.head1.control.cannot_show" in done.stdout
    own = ["--configfile", "own.yaml"]
    claim = ["claim", "heads.caught", "--rerun", *by]
    done = run(tmp_path, *claim, *own, command=command, **path)
    assert (done.returncode, "heads.caught holds" in done.stdout) == (0, True), done.stdout
    done = run(tmp_path, *claim, command=command, **path)
    assert done.returncode == 2
    assert "the config names none" in done.stdout
    for full in ([], ["--full"]):
        done = run(tmp_path, "audit", by[1], *own, *full, command=command, **path)
        assert done.returncode == 0, done.stdout


def test_a_wrong_file_is_refused_before_anything_runs(clone, tmp_path):
    given(tmp_path)
    content = (tmp_path / "own.safetensors").read_bytes()
    (tmp_path / "own.safetensors").write_bytes(content[:-1] + b"\x00")
    done = run(tmp_path, "-n", "-s", f"{clone}/Snakefile", "--configfile", "own.yaml")
    assert done.returncode == 2
    assert "error: own.safetensors: sha256 found" in done.stdout.replace(f"{tmp_path}/", "")
    assert "Traceback" not in done.stdout
