"""A model of one's own: the example of docs/own-model.md is valid, and what is wrong is told."""

import json
import subprocess
import sys

import numpy as np
import pytest
from fusedfacts.documents.files import sha256
from fusedfacts.errors import FactsError
from fusedfacts.model import qkv, weights
from safetensors.numpy import load_file, save_file
from support.own_heads import documented
from support.workflow_runs import SMALL, finished, run


@pytest.fixture
def own(tmp_path):
    """The folder in which the documented script has written its model, and its config."""
    [_, script] = documented("python")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    config = json.loads((tmp_path / "mine.yaml").read_text())
    return tmp_path, config


def refuse(own, **changes):
    folder, config = own
    paths = {part: str(folder / config[part]) for part in weights.PARTS}
    hashes = {f"{part}_sha256": sha256((folder / config[part]).read_bytes()) for part in paths}
    qkv.refuse(paths, {"control_key_rows": 8, **hashes, **changes})


def test_the_documented_example_is_a_valid_model(own):
    refuse(own)


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        ({"heads": "2"}, "metadata found .*, expected whole numbers `heads` and `head_dim`"),
        ({"heads": "9" * 9999, "head_dim": "16"}, r"metadata found .{,90}\.\.\., expected whole"),
        ({"heads": "4", "head_dim": "8"}, "heads 4, head_dim 8, expected 1 to 64 heads of one of"),
        ({"heads": "0", "head_dim": "16"}, "heads 0, head_dim 16, expected"),
        ({"heads": "2", "head_dim": "32"}, r"embedding found float32 \(50, 32\), expected float32"),
    ],
)
def test_heads_and_head_dim_are_those_of_the_tensors(own, metadata, sentence):
    path = own[0] / "weights.safetensors"
    save_file(load_file(path), path, metadata)
    with pytest.raises(FactsError, match=sentence) as told:
        refuse(own)
    assert "docs/own-model.md says what such a file holds" in str(told.value)
    assert "git checkout" not in str(told.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"query": None, "bias": 1},
            "found no query, 'bias', expected the tensors embedding, posi",
        ),
        ({f"t{i}": 1 for i in range(999)}, "found 't0', .* and 994 more, expected the tensors"),
        ({"value": np.nan}, "tensor value holds a value that is not finite"),
        ({"query": 3e38}, "found a score of size (inf|nan) in a held-out sentence, expected at"),
        ({"query": 1e6}, r"found a score of size .*, expected at most 65536, as of larger ones"),
    ],
)
def test_tensors_are_seven_and_no_score_is_beyond_what_is_judged(own, changes, sentence):
    """A number in the place of a tensor fills it; None leaves it out."""
    path = own[0] / "weights.safetensors"
    right = load_file(path)
    for name, value in changes.items():
        right[name] = np.full(right.get(name, np.zeros(1)).shape, value or 0, np.float32)
    made = {name: x for name, x in right.items() if changes.get(name, 0) is not None}
    save_file(made, path, {"heads": "2", "head_dim": "16"})
    with pytest.raises(FactsError, match=sentence) as told:
        refuse(own)
    assert str(told.value).isprintable()


@pytest.mark.parametrize("part", weights.PARTS)
def test_nobody_is_told_to_restore_a_file_of_their_own(own, part):
    (own[0] / own[1][part]).write_bytes(b"[")
    with pytest.raises(FactsError) as told:
        refuse(own)
    assert "git checkout" not in str(told.value)
    with pytest.raises(FactsError, match="name the right one in the config, or put the new hash"):
        refuse(own, **{f"{part}_sha256": "00"})


def test_the_probe_is_named_where_it_is_another_sentence(own):
    lines = (own[0] / "held_out.txt").read_text().splitlines()
    (own[0] / "probe.txt").write_text(lines[9] + "\n")
    with pytest.raises(FactsError, match="another sentence than line 1 of held_out"):
        refuse(own)


@pytest.mark.slow
@pytest.mark.workflow
def test_the_documented_example_runs_and_a_wrong_one_runs_nothing(own, clone):
    folder, config = own
    (folder / "mine.yaml").write_text(json.dumps({**config, **SMALL}))
    given = ["-s", f"{clone}/Snakefile", "--configfile", "mine.yaml"]
    finished(folder, *given)
    assert json.loads((folder / "mine" / "facts.json").read_text())["model"]["heads"] == 2
    tensors = load_file(folder / "weights.safetensors")
    tensors["query"] = np.ascontiguousarray(tensors["query"][:-1])
    save_file(tensors, folder / "weights.safetensors", {"heads": "2", "head_dim": "16"})
    hashed = sha256((folder / "weights.safetensors").read_bytes())
    done = run(folder, "-n", *given, "--config", f"weights_sha256={hashed}")
    assert done.returncode == 2
    assert "tensor query found float32 (31, 32), expected float32 (32, 32)" in done.stdout
