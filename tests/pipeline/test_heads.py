"""Heads of one's own through the workflow, to a folder of one's own, which audits hold."""

import json
import sys

import pytest
import yaml
from fusedfacts.experiments import heads
from support import own_heads
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
def test_heads_are_published_claimed_recomputed_and_audited(clone, tmp_path):
    """With the film, of whose page heads are no part: they are judged and not published."""
    film = {"n_values": [64], "head_dims": [16, 32], "film": True}
    given(tmp_path, **film, film_words=64, film_wide=32, film_narrow=16)
    finished(tmp_path, "-s", f"{clone}/Snakefile", *OWN)
    facts = json.loads((tmp_path / "mine" / "facts.json").read_text())
    shown = [head["control"]["cannot_show"] for head in facts["heads"]["heads"]]
    assert shown == [False, True]
    claims = (tmp_path / "results" / "report" / "claims.html").read_text()
    assert "Heads of your own" in claims
    path = {"PYTHONPATH": f"{clone}/workflow"}
    by = ["--facts", "mine/facts.json"]
    done = run(tmp_path, "claims", *by, command=COMMAND, **path)
    assert "heads.head1.control.cannot_show" in done.stdout
    claim = ["claim", "heads.caught", "--rerun", *by]
    done = run(tmp_path, *claim, *OWN, command=COMMAND, **path)
    assert (done.returncode, "heads.caught holds" in done.stdout) == (0, True), done.stdout
    done = run(tmp_path, *claim, command=COMMAND, **path)
    assert done.returncode == 2
    assert "the config names none" in done.stdout
    for full in ([], ["--full"]):
        done = run(tmp_path, "audit", by[1], *OWN, *full, command=COMMAND, **path)
        assert done.returncode == 0, done.stdout


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
