"""The workflow inside another one: `module:`, from another folder, with another config."""

import json

import pytest
from fusedfacts.documents.files import sha256
from safetensors import numpy as safetensors
from safetensors import safe_open
from support import own_heads
from support.common import ROOT
from support.workflow_runs import (
    SMALL,
    copy_of_repository,
    finished,
    importing,
    planned,
    run,
)

pytestmark = pytest.mark.workflow


def files_of(folder):
    """Every file with its time, but Python's and the compiler's own caches."""
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(autouse=True)
def _untouched(clone):
    before = files_of(clone)
    yield
    assert files_of(clone) == before


def other_weights(path):
    """Weights whose heads are the shipped ones in another order: the same attention, other bytes.

    Every head still has its late maxima, so the probe stays the sentence that the rule picks.
    """
    with safe_open(ROOT / "model" / "weights.safetensors", "numpy") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    heads, width = int(metadata["heads"]), int(metadata["head_dim"])
    order = [*range(1, heads), 0]
    columns = [head * width + c for head in order for c in range(width)]
    for name in ("query", "key", "value"):
        tensors[name] = tensors[name][:, columns].copy()
    tensors["output"] = tensors["output"][columns].copy()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(safetensors.save(tensors, metadata))
    return sha256(path.read_bytes())


@pytest.mark.slow
def test_two_imports_with_their_own_weights_publish_apart(clone, direct, tmp_path):
    """The first gives the bytes of a direct run; the second has weights, heads and a seed."""
    folder = tmp_path / "both"
    digest = other_weights(folder / "mine" / "weights.safetensors")
    weights = {"path": "mine/weights.safetensors", "sha256": digest}
    own = {"weights": weights["path"], "weights_sha256": digest, "seed": 24}
    own |= {**own_heads.given(folder), "publish_to": "out"}
    importing(clone, folder, {"first": SMALL, "second": {**SMALL, **own}}, "first", "second")
    (folder / "Snakefile").write_text(
        'rule both:\n    input: "first/results/published.ok", "second/results/published.ok"\n'
        + (folder / "Snakefile").read_text()
    )
    # A workflow that imports this one says what it says without it.
    assert "Finished jobid: " in finished(folder)
    for name in ("facts.json", "manifest.json"):
        path = f"media/school/fused/{name}"
        assert (folder / "first" / path).read_bytes() == (direct / path).read_bytes()
    first = json.loads((folder / "first" / "media/school/fused/facts.json").read_text())
    second = json.loads((folder / "second" / "out/facts.json").read_text())
    assert (first["settings"]["seed"], second["settings"]["seed"]) == (23, 24)
    assert second["inputs"]["weights"] == weights
    assert (second["heads"]["file"]["path"], "heads" in first) == (own_heads.NAME, False)
    assert first["inputs"]["weights"]["sha256"] != digest
    assert first["traffic"][1]["fused"]["bytes"] == second["traffic"][1]["fused"]["bytes"]
    assert first["traffic"] != second["traffic"]
    # The heads moved up by one.
    right = [head["rows_wrong"] for head in first["control"]["heads"]]
    assert [head["rows_wrong"] for head in second["control"]["heads"]] == [*right[1:], right[0]]
    assert not (folder / "results").exists()
    assert planned(folder) == set()
    assert planned(folder, "second_audit") == {"second_audit"}
    (folder / "second" / "out" / "facts.json").write_bytes(b"{}")
    assert planned(folder) == {"second_publish", "both"}


def test_an_import_without_a_prefix_plans_the_whole_run_and_leaves_nothing_behind(clone, tmp_path):
    elsewhere = importing(clone, tmp_path / "elsewhere", {**SMALL, "publish_to": "out/facts"})
    assert {"fused_sweep", "fused_publish", "fused_all"} <= planned(elsewhere)
    assert {path.name for path in elsewhere.iterdir()} == {".snakemake", "Snakefile", "config.yaml"}


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            {"n_value": [3]},
            "config: the document found an unknown key 'n_value' (did you mean n_v",
        ),
        ({"weights": "mine/no.safetensors"}, "mine/no.safetensors: not found, expected the file"),
    ],
)
def test_a_bad_config_of_an_import_is_one_sentence(clone, tmp_path, setting, sentence):
    importing(clone, tmp_path, {"one": SMALL, "two": setting}, "one", "two")
    done = run(tmp_path, "--cores", "1")
    assert done.returncode == 2
    assert done.stdout.startswith(f"error: {sentence}")
    assert done.stdout.count("\n") == 1
    assert not (tmp_path / "one").exists()


def test_another_copy_of_the_library_is_refused(clone, tmp_path):
    """Else one import would compute with the library of the other."""
    folder = importing(clone, tmp_path / "both", {"one": SMALL, "two": SMALL}, "one", "two")
    second = copy_of_repository(tmp_path / "second")
    before, _, after = (folder / "Snakefile").read_text().rpartition(str(clone))
    (folder / "Snakefile").write_text(f"{before}{second}{after}")
    done = run(folder, "-n", "--cores", "1")
    assert done.returncode == 2
    assert f"error: {second}/workflow: found the library of {clone}/workflow" in done.stdout


def test_a_model_file_is_of_the_working_directory_or_of_the_repository(tmp_path, monkeypatch):
    from fusedfacts.pipeline import config

    monkeypatch.chdir(tmp_path)
    assert config.model_file("model/probe.txt", ROOT) == str(ROOT / "model" / "probe.txt")
    (tmp_path / "model").mkdir()
    own = tmp_path / "model" / "probe.txt"
    own.write_text("x\n")
    assert config.model_file("model/probe.txt", ROOT) == str(own)
    assert config.model_file(str(own), ROOT) == str(own)
    assert config.model_file("no.txt", ROOT) == "no.txt"
