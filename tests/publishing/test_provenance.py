"""What the manifest names as the origin of the published bytes, and the plain list from it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from fusedfacts.documents import files, schema
from fusedfacts.errors import FactsError
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import folder, provenance
from support.common import PUBLISHED, ROOT


@pytest.fixture
def root(tmp_path):
    """A repository of a few files, without version control."""
    for name in (
        *("Snakefile", "config.yaml", "requirements.txt", "README.md", "Makefile"),
        *("kernels/fused.wgsl", "kernels/manifest.json", "kernels/README.md"),
        *("workflow/fusedfacts/a.py", "workflow/rules/b.smk", "workflow/page/js/c.js"),
        *("workflow/fusedfacts/__pycache__/a.pyc", "workflow/.DS_Store", "workflow/.ruff_cache/x"),
        *("model/weights.safetensors", "tests/test_a.py", "media/school/fused/facts.json"),
    ):
        files.write_bytes(tmp_path / name, name.encode())
    return tmp_path


def test_everything_that_computes_is_listed_and_nothing_else(root):
    assert provenance.sources(root) == [
        "Snakefile",
        "config.yaml",
        "kernels/fused.wgsl",
        "kernels/manifest.json",
        "requirements.txt",
        "workflow/fusedfacts/a.py",
        "workflow/page/js/c.js",
        "workflow/rules/b.smk",
    ]


def test_a_list_made_without_git_is_that_of_git():
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "workflow", "kernels"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    expected = {name for name in tracked if not name.endswith(".md") and (ROOT / name).is_file()}
    assert set(provenance.sources(ROOT)) == expected | set(provenance.SINGLE)


def test_the_model_is_listed_by_the_path_that_the_config_shows(root):
    found = provenance.inputs(
        root,
        {"model/weights.safetensors": str(root / "model/weights.safetensors"), "/far/x.txt": "y"},
    )
    assert found["model/weights.safetensors"] == root / "model" / "weights.safetensors"
    assert found["x.txt"] == Path("y")
    assert set(found) == {*provenance.sources(root), "model/weights.safetensors", "x.txt"}


@pytest.mark.parametrize(
    "model", [{"/a/x.txt": "1", "/b/x.txt": "2"}, {"/a/config.yaml": "1"}, {"Snakefile": "1"}]
)
def test_one_name_never_stands_for_two_files(root, model):
    with pytest.raises(FactsError, match=r"found two inputs that the manifest would name"):
        provenance.inputs(root, model)


@pytest.mark.parametrize("missing", provenance.SINGLE)
def test_a_lost_source_is_missed(root, missing):
    (root / missing).unlink()
    assert missing not in provenance.sources(root)
    names = dict.fromkeys(provenance.sources(root), "0" * 64)
    with pytest.raises(FactsError, match=f"inputs found no {missing}"):
        schema.validate(
            {**folder.read(PUBLISHED / "manifest.json"), "inputs": names}, "manifest", "m", "mend"
        )


def test_the_config_leaves_out_what_changes_no_byte(config):
    found = provenance.effective({**config, "weights": "/data/weights.safetensors"})
    assert set(config) - set(found) == {"adapter", "time_kernels", "publish_to"}
    assert found["weights"] == "weights.safetensors"
    assert found["seed"] == config["seed"]


def test_the_schema_asks_for_every_setting_that_can_change_a_byte():
    wanted = schema.load("manifest")["properties"]["config"]["required"]
    assert set(wanted) == set(schema.load("config")["required"]) - set(provenance.APART)


def test_the_published_manifest_is_that_of_this_tree(config):
    """The committed hashes are those of the committed files."""
    model = {config[part]: str(ROOT / config[part]) for part in settings.MODEL_PARTS}
    document = folder.read(PUBLISHED / "manifest.json")
    expected = folder.manifest(
        {name: PUBLISHED / name for name in document["files"]},
        provenance.inputs(ROOT, model),
        provenance.effective(config),
    )
    assert {key: document[key] for key in expected} == expected


def test_the_sums_follow_from_the_manifest_alone(tmp_path):
    document = json.loads((PUBLISHED / "manifest.json").read_text())
    text = provenance.sums(document)
    assert text == (PUBLISHED / "SHA256SUMS").read_text()
    assert "SHA256SUMS" not in text
    assert [line[66:] for line in text.splitlines()] == sorted(
        [*document["files"], "manifest.json"]
    )


def test_an_input_that_cannot_be_read_is_one_sentence(root):
    with pytest.raises(FactsError, match=r"none: cannot be read .*; publish again"):
        folder.manifest({}, {"none": root / "none"}, {})


def test_a_copy_without_history_gives_the_same_list(tmp_path):
    for name in ("workflow", "kernels"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in provenance.SINGLE:
        shutil.copy(ROOT / name, tmp_path / name)
    assert provenance.sources(tmp_path) == provenance.sources(ROOT)
