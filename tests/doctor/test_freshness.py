"""Whether `make facts` has anything to do, told without starting Snakemake."""

import hashlib
import json

import pytest
from fusedfacts.doctor import freshness
from fusedfacts.doctor.freshness import Freshness
from support.doctor_clones import healthy, write


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def finished(tmp_path):
    """A clone in which a run has published."""
    root = healthy(tmp_path).root
    published = root / "media/out"
    facts = write(published / "facts.json", "{}")
    sources = ("config.yaml", "workflow/rules/all.smk", "workflow/fusedfacts/__init__.py")
    manifest = {
        "files": {"facts.json": digest(facts)},
        "inputs": {name: digest(root / name) for name in sources},
    }
    path = write(published / "manifest.json", json.dumps(manifest))
    write(root / "results/published.ok", digest(path) + "\n")
    return root


def made(root):
    return freshness.read(root, root / "media/out")


def test_after_a_run_there_is_nothing_to_do(finished):
    assert made(finished) == Freshness(finished=True)
    write(finished / "workflow/fusedfacts/__pycache__/a.pyc", "compiled")
    write(finished / "workflow/.hidden", "")
    assert made(finished).changed == ()


def test_an_edited_a_new_and_a_deleted_source_are_named(finished):
    write(finished / "config.yaml", "edited")
    write(finished / "workflow/fusedfacts/more.py")
    (finished / "workflow/rules/all.smk").unlink()
    assert made(finished) == Freshness(
        True, ("config.yaml", "workflow/fusedfacts/more.py", "workflow/rules/all.smk")
    )


@pytest.mark.parametrize("name", ["media/out/facts.json", "media/out/manifest.json"])
def test_another_published_file_is_not_what_the_run_left(finished, name):
    path = finished / name
    path.write_text(path.read_text() + "\n")
    assert made(finished) == Freshness(finished=False)


@pytest.mark.parametrize("name", ["media/out/facts.json", "results/published.ok"])
def test_without_a_file_of_the_run_it_is_not_finished(finished, name):
    (finished / name).unlink()
    assert made(finished) == Freshness(finished=False)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3, "inputs": {}}', "\0"])
def test_a_manifest_that_is_none(finished, text):
    write(finished / "media/out/manifest.json", text)
    assert made(finished) == Freshness(finished=False)
