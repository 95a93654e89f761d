"""Snakemake makes the crate of the repository itself, and of nothing else."""

import pytest
import yaml
from fusedfacts.documents import files
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing.crate import layout, placed
from support.common import ROOT
from support.workflow_runs import SMALL, copy_of_repository, planned, run

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy with a small config of its own, in which the runs below follow each other."""
    copy = copy_of_repository(tmp_path_factory.mktemp("crate") / "copy")
    config = yaml.safe_load((copy / "config.yaml").read_text())
    (copy / "config.yaml").write_text(yaml.safe_dump({**config, **SMALL}))
    return copy


def test_a_run_that_publishes_elsewhere_is_told_of_by_no_crate(folder):
    assert "crate" not in planned(folder, "--config", "publish_to=results/mine")


def test_a_run_with_a_file_from_elsewhere_is_told_of_by_no_crate(folder, tmp_path):
    probe = tmp_path / "probe.txt"
    probe.write_bytes((ROOT / "model" / "probe.txt").read_bytes())
    assert "crate" not in planned(folder, "--config", f"probe={probe}")


def test_a_run_of_the_repository_leaves_its_crate_at_the_root(folder):
    (folder / layout.NAME).unlink()
    done = run(folder, "--cores", "2")
    assert done.returncode == 0, done.stdout[-3000:]
    published = publish.read(folder / layout.FOLDER / "manifest.json")
    assert published["crate"] == files.sha256((folder / layout.NAME).read_bytes())
    assert placed.check(folder, folder / layout.FOLDER)
    assert not (folder / layout.FOLDER / layout.NAME).exists()


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_text("{}")])
def test_an_edited_crate_is_mended_by_the_next_run(folder, spoil):
    assert "publish" not in planned(folder)
    spoil(folder / layout.NAME)
    assert set(planned(folder)) == {"publish", "all"}
    assert run(folder, "--cores", "1").returncode == 0
    assert placed.check(folder, folder / layout.FOLDER)


def test_a_new_release_makes_the_crate_anew(folder):
    path = folder / "CITATION.cff"
    path.write_text(path.read_text().replace("\nversion: 0.", "\nversion: 9."))
    assert set(planned(folder)) == {"crate", "manifest", "publish", "all"}
