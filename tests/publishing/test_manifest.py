"""What the manifest names as the origin of the published bytes, and the plain list from it."""

import os
import subprocess

import pytest
from fusedfacts.documents import files, schema
from fusedfacts.errors import FactsError
from fusedfacts.experiments import facts
from fusedfacts.pipeline import closure
from fusedfacts.publishing import manifest as manifests
from support.common import PUBLISHED, ROOT

LIBRARY = "workflow/fusedfacts/"
HOSTILE = (
    *("manifest.json", "SHA256SUMS", "ro-crate-metadata.json"),
    *("../x", "/x", "a/../../x", "a\\x", "./x", "a//x", "a/", "", ".x", "a/.x"),
    *("a b", "a\n", "a\nb", "\x00", "é.svg"),
)


@pytest.fixture
def root(tmp_path):
    """A repository of a few files, without version control."""
    for name in (
        *("Snakefile", "config.yaml", "requirements.txt", "README.md", "Makefile"),
        *("kernels/fused.wgsl", "kernels/manifest.json", "kernels/README.md"),
        *("workflow/fusedfacts/a/b.py", "workflow/rules/b.smk", "workflow/page/js/c.js"),
        *("workflow/fusedfacts/a/b.so", "workflow/numpy.py"),  # they could hide a module
        *("workflow/fusedfacts/__pycache__/a.pyc", "workflow/.DS_Store", "workflow/.ruff_cache/x"),
        *("workflow/fusedfacts/doctor/x.py", "workflow/schemas/doctor.schema.json"),
        *("model/weights.safetensors", "tests/test_a.py", "media/school/fused/facts.json"),
        *("tests/real/calls/a.safetensors", "tests/real/recipes/a.toml", "tests/real/record.py"),
    ):
        files.write_bytes(tmp_path / name, name.encode())
    return tmp_path


@pytest.fixture
def published():
    return manifests.read(PUBLISHED / "manifest.json")


# --- sources ---------------------------------------------------------------------------------


def test_what_can_shape_a_published_byte_is_listed_and_nothing_else(root):
    assert manifests.sources(root) == [
        "Snakefile",
        "config.yaml",
        "kernels/fused.wgsl",
        "kernels/manifest.json",
        "requirements.txt",
        *("tests/real/calls/a.safetensors", "tests/real/recipes/a.toml"),
        *("workflow/fusedfacts/a/b.py", "workflow/fusedfacts/a/b.so", "workflow/numpy.py"),
        *("workflow/page/js/c.js", "workflow/rules/b.smk"),
    ]


def test_the_list_is_that_of_git_without_git():
    folders = ["workflow", "kernels", "tests/real/calls", "tests/real/recipes"]
    command = ["git", "ls-files", "-co", "--exclude-standard", *folders]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    expected = {
        name
        for name in tracked.stdout.split()
        if not name.endswith(".md") and (ROOT / name).is_file()
    }
    assert set(manifests.sources(ROOT)) == {
        *manifests.SINGLE,
        *(name for name in expected if not name.startswith(manifests.UNPUBLISHED)),
    }


def test_everything_that_a_section_reads_is_listed():
    listed = set(manifests.sources(ROOT))
    for name, section in facts.SECTIONS.items():
        read = {p.relative_to(ROOT).as_posix() for part in section.files for p in ROOT.glob(part)}
        assert read <= listed, name
    assert set(manifests.RECORDED) == set(facts.SECTIONS["real"].files)


def test_everything_that_a_listed_script_imports_is_listed():
    """So an edit of what is not listed changes nothing that is published."""
    listed = manifests.sources(ROOT)
    scripts = [name for name in listed if name.startswith("workflow/scripts/")]
    assert {"workflow/scripts/manifest.py", "workflow/scripts/publish.py"} <= set(scripts)
    modules = set().union(*(closure.imported(ROOT / name) for name in scripts))
    needed = {os.path.relpath(path, ROOT) for path in closure.closure(*modules)}
    assert needed <= set(listed)


@pytest.mark.parametrize("target", ["elsewhere", "elsewhere/x.py"])
def test_a_link_is_refused(root, target):
    files.write_bytes(root / "elsewhere" / "x.py", b"")
    (root / LIBRARY / "b").symlink_to(root / target)
    with pytest.raises(FactsError, match="b: found a link, expected a file or a folder of its own"):
        manifests.sources(root)


def test_the_model_is_listed_by_the_path_that_the_config_shows(root):
    weights = root / "model" / "weights.safetensors"
    model = {"model/weights.safetensors": str(weights), "/far/x.txt": "y"}
    found = manifests.inputs(root, model)
    assert found["model/weights.safetensors"] == weights
    assert str(found["x.txt"]) == "y"
    assert set(found) == {*manifests.sources(root), "model/weights.safetensors", "x.txt"}


@pytest.mark.parametrize("model", [{"/a/x.txt": "1", "/b/x.txt": "2"}, {"/a/config.yaml": "1"}])
def test_one_name_never_stands_for_two_files(root, model):
    with pytest.raises(FactsError, match=r"found two inputs that the manifest would name"):
        manifests.inputs(root, model)


@pytest.mark.parametrize("missing", manifests.SINGLE)
def test_a_lost_source_is_missed(root, published, missing):
    (root / missing).unlink()
    names = dict.fromkeys(manifests.sources(root), "0" * 64)
    with pytest.raises(FactsError, match=f"inputs found no {missing}"):
        schema.validate({**published, "inputs": names}, "manifest", "m", "mend")


def test_the_config_leaves_out_what_changes_no_byte(config):
    found = manifests.effective({**config, "weights": "/data/weights.safetensors"})
    left_out = {"adapter", "time_kernels", "publish_to"}
    assert set(config) - set(found) == {*left_out, *manifests.HEADS}
    own = manifests.effective({**config, "heads": "/data/heads.safetensors"})
    assert set(config) - set(own) == left_out
    assert own["heads"] == "heads.safetensors"
    assert found["weights"] == "weights.safetensors"
    wanted = schema.load("manifest")["properties"]["config"]["required"]
    assert set(wanted) == set(found)


# --- the document ----------------------------------------------------------------------------


def test_the_sums_follow_from_the_manifest_alone(published):
    text = manifests.sums(published)
    assert text == (PUBLISHED / "SHA256SUMS").read_text()
    assert [line[66:] for line in text.splitlines()] == sorted(
        [*published["files"], "manifest.json"]
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused(published, name):
    document = {**published, "files": {**published["files"], name: "0" * 64}}
    with pytest.raises(FactsError, match=r"files found '.*', expected"):
        schema.validate(document, "manifest", "m", "-")
    with pytest.raises(FactsError, match="is not a plain file name: expected letters"):
        manifests.require_names([name])


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a\\x", "x\n"])
def test_an_input_lies_in_the_repository(published, name):
    document = {**published, "inputs": {**published["inputs"], name: "0" * 64}}
    with pytest.raises(FactsError, match=r"inputs found '.*', expected"):
        schema.validate(document, "manifest", "m", "-")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ([], "the document found [], expected a value of type object"),
        ({}, "the document found no files, expected all of files, inputs, config"),
        ({"files": {}}, "files found no facts.json"),
        ({"crate": "0"}, "crate found '0', expected text matching"),
        ({"files": {"facts.json": "0" * 64 + "\n"}}, "files.facts"),
        ({"config": {}}, "config found no n_values"),
    ],
)
def test_what_is_no_manifest_is_refused_in_a_sentence(published, change, sentence, tmp_path):
    files.write_json(tmp_path / "m.json", {**published, **change} if change else change)
    with pytest.raises(FactsError) as refused:
        manifests.read(tmp_path / "m.json")
    assert str(refused.value).startswith(f"{tmp_path / 'm.json'}: {sentence}")
    assert str(refused.value).endswith(manifests.MEND)
