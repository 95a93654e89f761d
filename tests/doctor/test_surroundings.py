"""Variables, a home, dates and modes that stop a run: each is named, with what mends it."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from fusedfacts.doctor import surroundings, workspace
from support.common import ROOT
from support.doctor_clones import healthy, write


@pytest.fixture
def site(tmp_path):
    return healthy(tmp_path)


def sentences(site, **variables):
    home = {"HOME": str(site.root)}
    return [f.sentence for f in surroundings.findings(site, {**home, **variables})]


def test_nothing_is_said_of_a_plain_machine(site):
    assert sentences(site) == []


@pytest.mark.parametrize("name", surroundings.PIP_VARIABLES)
def test_a_variable_that_leads_pip_elsewhere(site, name):
    assert sentences(site, **{name: "1"}) == []  # make set .venv up without it
    shutil.rmtree(site.venv)
    (said,) = sentences(site, **{name: "1"})
    assert said.startswith(f"{name}: ")
    assert said.endswith(f"run `unset {name}`")
    recipe = (ROOT / "Makefile").read_text()
    unexport = next(line for line in recipe.splitlines() if line.startswith("unexport"))
    assert name in unexport.split()


def test_a_profile_that_is_not_there(site):
    (said,) = sentences(site, SNAKEMAKE_PROFILE="no_such")
    assert said.endswith("run `unset SNAKEMAKE_PROFILE`")
    (site.working / "no_such").mkdir()
    assert sentences(site, SNAKEMAKE_PROFILE="no_such") == []


def test_a_home_that_is_a_file(site):
    write(site.root / "file", "")
    (said,) = sentences(site, HOME=str(site.root / "file"))
    assert "a folder that cannot be written" in said


def test_sources_dated_in_the_future(site):
    later = time.time() + 86400
    os.utime(site.root / "requirements.txt", (later, later))
    (said,) = sentences(site)
    assert said.startswith("requirements.txt: found a date in the future")


def test_a_link_to_itself(site):
    (site.root / "kernels").mkdir(exist_ok=True)
    (site.root / "kernels/loop").symlink_to("loop")
    (said,) = sentences(site)
    assert said.startswith("kernels/loop: found a link that leads nowhere")


def test_git_is_asked_of_the_clone_within_a_hook_of_another(site, tmp_path, monkeypatch):
    git = ["git", "-C", str(site.root)]
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    subprocess.run([*git, "init", "-q"], check=True)
    (site.root / "text").write_bytes(b"one\r\n")
    subprocess.run([*git, "add", "text"], check=True)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert [f.topic for f in workspace.findings(site)] == ["line endings"]


@pytest.mark.parametrize("name", ["a blank", "a'quote", 'a"quote', "a$sign"])
def test_a_path_in_which_no_job_starts_is_refused_before_anything_is_set_up(tmp_path, name):
    clone = tmp_path / name
    clone.mkdir()
    for file in ("Makefile", "requirements.txt"):
        shutil.copy(ROOT / file, clone)
    done = subprocess.run(["make", "facts"], cwd=clone, capture_output=True, text=True)
    assert done.returncode == 2
    assert "found a blank, a quote or a sign of the shell in the clone's path" in done.stderr
    assert not (clone / ".venv").exists()


# As a user whom modes bind, which they do not a root that runs the tests.
BOUND = """
import sys
from pathlib import Path
from fusedfacts.doctor import report, site
from support.modes import drop_privileges
drop_privileges()
root = Path(sys.argv[1])
print("\\n".join(report.examine(site.Site(root, root, root / ".venv", root)).lines))
"""


@pytest.mark.parametrize("closed", [".venv", ".venv/bin", "results", ".snakemake", "config.yaml"])
def test_what_this_user_may_not_look_at_is_named(site, closed):
    path = site.root / closed
    if not path.exists():
        path.mkdir()
    path.chmod(0)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", BOUND, str(site.root)],
        env=environment,
        capture_output=True,
        text=True,
    )
    path.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert "in the way:" in done.stdout
    assert closed in done.stdout.partition("in the way:")[2]
