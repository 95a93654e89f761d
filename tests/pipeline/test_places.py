"""The places where others look: the workflows' catalog, an import by address, a release."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def snakemake(folder, *words, **environment):
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "-n", *words]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)


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


@pytest.mark.workflow
def test_where_containers_are_asked_for_the_rules_still_run_in_their_environment(tmp_path):
    """An importing workflow may want them for its own rules; no image holds our packages."""
    for name in ("apptainer", "singularity"):
        (tmp_path / name).write_text("#!/bin/sh\necho apptainer version 1.4.0\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = snakemake(tmp_path, "-s", ROOT / "Snakefile", "--sdm", "apptainer", PATH=path)
    assert done.returncode == 0, done.stderr
    assert "debian" not in done.stdout + done.stderr


def test_what_the_catalog_reads_is_there():
    """Each key where the catalog's own program looks for it."""
    catalog = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())
    usage = catalog.pop("usage")
    assert catalog == {}
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert all(isinstance(text, str) for text in usage["mandatory-flags"].values())
    ways = {"conda": False, "apptainer": False, "apptainer+conda": False}  # make sets up .venv
    assert usage["software-stack-deployment"] == ways
    assert usage["report"] is True
    configuration = (ROOT / "config" / "README.md").read_text()
    assert "`config.yaml`" in configuration
    assert "](" not in configuration  # the catalog shows it on a page of its own
    readme = (ROOT / "README.md").read_text().lower()
    assert "snakemake" in readme  # or the catalog's search passes by
    assert "workflow" in readme
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    assert jobs["all"]["steps"][-1] == {"run": ".ci/run"}


def test_all_places_name_one_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    assert f"version = {{{version}}}" in (ROOT / "README.md").read_text()
    released = re.findall(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert released[:1] in ([], [version])  # none yet: all is under Unreleased


def installed(text):
    """The packages that a line of apt-get installs."""
    return set(re.search(r"apt-get install (?:-\S+ )*([\w. -]+)", text)[1].split())


README = (ROOT / "README.md").read_text()
# Beside README's: which a full Debian has.
BASE = installed(README[README.index("On Debian: `") :]) | {"ca-certificates"}
IMAGE = re.search(r"^FROM (\S+)$", (ROOT / "Containerfile").read_text(), re.M)[1]


def test_the_container_runs_what_readme_says():
    text = (ROOT / "Containerfile").read_text()
    assert installed(text) == BASE
    command = " ".join(yaml.safe_load(re.search(r"^CMD (.+)$", text, re.M)[1]))
    assert re.search(rf"^{command} +# compute", README, re.M)
    assert IMAGE in (ROOT / "Snakefile").read_text()


def test_the_development_container_has_what_ci_tests_with():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert container["image"] == IMAGE
    tests = installed(README[README.index("**For all tests**") :])
    fonts = {"fonts-dejavu-core", "fonts-liberation"}  # of known widths
    assert installed(container["onCreateCommand"]) == BASE | tests | fonts
    ci = (ROOT / ".ci" / "run").read_text()
    assert [name for name in (*tests, "dejavu-core", "liberation") if name not in ci] == []
    assert container["postCreateCommand"] == "make .venv/ready"


def test_zenodo_reads_the_citation_file_alone():
    """A file of its own would win over CITATION.cff, and could say something else."""
    assert not (ROOT / ".zenodo.json").exists()
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["type"] == "software"
    for field in ("title", "abstract", "keywords", "license", "version", "date-released"):
        assert cited[field], field
    for author in cited["authors"]:  # Zenodo refuses one of whom it knows no name
        assert author.get("name") or (author["family-names"] and author["given-names"])


def test_each_hook_is_a_tool_of_make_lint():
    makefile = (ROOT / "Makefile").read_text()
    linters = re.search(r"^LINTERS := (.+)$", makefile, re.M)[1].split()
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]  # nothing is fetched
    assert [hook["entry"] for hook in hooks[0]["hooks"]] == [f"make {name}" for name in linters]
    assert {hook["language"] for hook in hooks[0]["hooks"]} == {"system"}
    recipes = set(re.findall(r"^(lint-\w+):\n\t\S", makefile, re.M))
    assert recipes == set(linters)
