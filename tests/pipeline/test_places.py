"""The places where others look: the workflows' catalog, an import by address, a release."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def snakemake(folder, *words):
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "-n", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.workflow
def test_the_catalogs_snakefile_asks_for_all_that_the_real_one_does(tmp_path):
    done = snakemake(tmp_path, "-s", ROOT / "workflow" / "Snakefile")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^publish +1$", done.stdout + done.stderr, re.M)


@pytest.mark.workflow
def test_an_import_by_address_is_refused_in_one_sentence(tmp_path):
    clone, other = tmp_path / "clone", tmp_path / "other"
    clone.mkdir()
    other.mkdir()
    (clone / "Snakefile").write_text((ROOT / "Snakefile").read_text())
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    address = f"git+file://{clone}/Snakefile@main"
    text = f"module fused:\n    snakefile: {address!r}\n\nuse rule * from fused as fused_*\n"
    (other / "Snakefile").write_text(text)
    done = snakemake(other)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "expected one in a clone on this machine; clone the repository" in said
    assert "Traceback" not in said


def test_what_the_catalog_reads_is_there():
    catalog = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())
    assert catalog["usage"]["report"] is True
    assert "(../config.yaml)" in (ROOT / "config" / "README.md").read_text()
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    assert jobs["all"]["steps"][-1] == {"run": ".ci/run"}


def test_all_places_name_one_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    assert f"version = {{{version}}}" in (ROOT / "README.md").read_text()
    released = re.findall(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert released[:1] in ([], [version])  # none yet: all is under Unreleased


def test_the_container_runs_what_readme_says():
    readme, text = (ROOT / "README.md").read_text(), (ROOT / "Containerfile").read_text()
    packages = set(re.search(r"On Debian: `apt-get install ([^`]+)`", readme)[1].split())
    installed = re.search(r"apt-get install -y --no-install-recommends (.+)", text)[1].split()
    assert set(installed) == {*packages, "ca-certificates"}  # which a full Debian has
    command = " ".join(yaml.safe_load(re.search(r"^CMD (.+)$", text, re.M)[1]))
    assert re.search(rf"^{command} +# compute", readme, re.M)
    assert re.search(r"^FROM (\S+)$", text, re.M)[1] in (ROOT / "Snakefile").read_text()
