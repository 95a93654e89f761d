"""The workflow on a real Slurm, of one node on this machine, through the profile as shipped."""

import importlib.util
import os
import re
import shutil
import subprocess
import time

import pytest
import yaml
from fusedfacts.pipeline import jobs as workload
from support import slurm
from support.missing import skip_unless_required
from support.workflow_runs import SMALL, SNAKEMAKE, environment, importing

# With the local run that they are held to.
pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.xdist_group("direct")]
EXECUTOR = "snakemake_executor_plugin_slurm"
HANGS_AFTER_S = 600  # a run takes less than a tenth; one that overlooks a job's end never ends
# In place of one of Slurm's commands: fails at the first call that speaks of some job.
FAILS_ONCE = """\
#!/bin/sh
case "$*" in
*{job}*) mkdir "$0.failed" 2>/dev/null && echo "{name}: error: {why}" >&2 && exit 1 ;;
esac
exec {right} "$@"
"""


# Without accounting `sacct` is there all the same and answers nothing; with it, no job is taken
# that has no account.
without_accounting = pytest.mark.parametrize("cluster", [False], indirect=True)
with_accounting = pytest.mark.parametrize("cluster", [True], indirect=True)


@pytest.fixture(scope="module")
def cluster(request, tmp_path_factory):
    """A Slurm; where REQUIRE_SLURM names the executor's folder, nothing may be missing."""
    demanded = os.environ.get("REQUIRE_SLURM")
    if not demanded and not importlib.util.find_spec(EXECUTOR):
        pytest.skip(
            f"not installed: {EXECUTOR}; run: python -m pip install --require-hashes --no-deps"
            " -r requirements-slurm.txt"
        )
    try:
        with slurm.running(tmp_path_factory.mktemp("slurm"), accounting=request.param) as found:
            yield found
    except slurm.NoSlurmError as reason:
        skip_unless_required(reason, "REQUIRE_SLURM")


class Run:
    """Snakemake on a Slurm, with the profile of a clone."""

    def __init__(self, cluster, clone, folder, *arguments, path=()):
        profile = ("--workflow-profile", clone / "profiles" / "slurm")
        executor = os.environ.get("REQUIRE_SLURM", "")
        path = os.pathsep.join([*map(str, path), os.environ["PATH"]])
        self.process = subprocess.Popen(
            cluster.command(folder, *SNAKEMAKE, *arguments, *profile),
            env=environment(PYTHONPATH=executor, PATH=path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self):
        """Wait for the end: exit code and all that was said."""
        try:
            said, _ = self.process.communicate(timeout=HANGS_AFTER_S)
        finally:
            self.process.kill()
        return self.process.returncode, said


def configured(clone, folder, **settings):
    """Arguments for the clone's own Snakefile with a small config in a folder."""
    (folder / "small.yaml").write_text(yaml.safe_dump({**SMALL, **settings}))
    return "--snakefile", clone / "Snakefile", "--configfile", "small.yaml"


@without_accounting
def test_a_whole_run_on_slurm_gives_the_bytes_of_a_local_run(cluster, clone, direct, tmp_path):
    code, said = Run(cluster, clone, tmp_path, *configured(clone, tmp_path)).end()
    assert code == 0, said
    published = tmp_path / "media" / "school" / "fused"
    for name in ("facts.json", "SHA256SUMS"):
        right = direct / "media" / "school" / "fused" / name
        assert (published / name).read_bytes() == right.read_bytes()
    ended = cluster.said("squeue", "--states=all", "--noheader", "--format=%k %C %T").splitlines()
    handed = {line.split("_")[1] for line in ended}
    assert handed == {"section", "sweep"}
    assert {tuple(line.split()[1:]) for line in ended} == {("1", "COMPLETED")}


@without_accounting
def test_a_cancelled_job_fails_the_run_which_says_which_and_why(cluster, clone, tmp_path):
    """Whatever it was asked to be quiet about."""
    arguments = configured(clone, tmp_path)
    asked = ("results/mutants.json", "--quiet", "rules", *arguments)
    run = Run(cluster, clone, tmp_path, *asked)
    log = tmp_path / "results" / "logs" / "mutants.log"
    while not log.exists() and run.process.poll() is None:
        time.sleep(0.05)
    job = cluster.said("squeue", "--states=running", "--noheader", "--format=%i")
    cluster.said("scancel", job)
    code, said = run.end()
    assert code == 1
    [line] = [line for line in said.splitlines() if "failed" in line]
    assert line.startswith(f"section mutants failed (external_jobid: {job}): SLURM-job '{job}'")
    assert "SLURM status is: 'CANCELLED'" in line
    assert re.search(r"error: \*\*\* (JOB|STEP) .* CANCELLED AT", line)
    assert f"/mutants/{job}.log" in line
    assert "restart" not in said


def failing_once(folder, name, job, why):
    """Put before one of Slurm's commands what fails once for a job."""
    folder.mkdir(exist_ok=True)
    text = FAILS_ONCE.format(job=job, name=name, why=why, right=shutil.which(name))
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)
    return folder


@with_accounting
def test_an_imported_job_that_fails_once_is_told_and_tried_again_with_more(
    cluster, clone, direct, tmp_path
):
    """One that Slurm does not take, and one whose step does not start."""
    config = {**SMALL, "head_dims": [16, 32], "publish_to": "out"}
    importing(clone, tmp_path, config)
    path = failing_once(tmp_path / "bin", "sbatch", "d=16", "Socket timed out on send/recv")
    failing_once(path, "srun", "d=32", "Unable to create step")
    made = [f"results/sweep/d{d}-n64.json" for d in config["head_dims"]]
    code, said = Run(cluster, clone, tmp_path, *made, path=[path]).end()
    assert code == 0, said
    assert (tmp_path / made[0]).read_bytes() == (direct / made[0]).read_bytes()
    assert (tmp_path / made[1]).exists()
    assert said.count("Error in rule fused_sweep") == said.count("Trying to restart job") == 2
    assert "sbatch: error: Socket timed out on send/recv" in said
    assert "srun: error: Unable to create step" in said
    jobs = cluster.said("squeue", "--states=all", "--noheader", "--format=%a %m %T")
    first, again = (f"{tries * workload.memory_mb(64, 16)}M" for tries in (1, 2))
    assert sorted(jobs.splitlines()) == [
        *[f"root {again} COMPLETED"] * 2,
        f"root {first} FAILED",
    ]
