"""Jobs through the generic executor plugin, and what every profile may hold."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from fusedfacts.pipeline import jobs as workload
from snakemake.cli import get_argument_parser
from support.common import ROOT, change_digit
from support.workflow_runs import SMALL, SNAKEMAKE, copy_of_repository, environment, importing, run

LARGE = {
    "n_values": [1024, 4096, 8192, 16384, 32768, 65536],
    "head_dims": [16, 32, 64, 128],
    "publish_to": "out",
}
PROFILES = sorted(path.parent.name for path in (ROOT / "profiles").glob("*/config.yaml"))
workflow = pytest.mark.workflow


def profile(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())


@pytest.fixture
def cluster(clone, tmp_path):
    """A folder with a small config, and the command that runs the clone's workflow there."""
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(SMALL))
    profile = f"{clone}/profiles/cluster-generic"
    options = ("-s", f"{clone}/Snakefile", "--workflow-profile", profile)
    options += ("--seconds-between-status-checks", "1", "--configfile", "small.yaml")
    return tmp_path, options


def submitted(folder):
    """What the submit command was told of each job: id, rule, threads, megabytes, minutes."""
    path = folder / ".snakemake" / "cluster" / "submitted.tsv"
    return [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []


@workflow
@pytest.mark.slow
def test_an_import_gives_on_a_cluster_the_bytes_of_a_local_run(cluster, clone, direct):
    """What takes seconds runs where Snakemake does, whatever names its rules have been given."""
    folder, (_, _, *options) = cluster
    importing(clone, folder, SMALL)
    made = ["results/attention.json", "results/sweep/d16-n64.json", "results/mutants.json"]
    done = run(folder, *made, *options)
    assert done.returncode == 0, done.stdout[-3000:]
    for name in made:
        assert (folder / name).read_bytes() == (direct / name).read_bytes()
    asked = {rule: tuple(map(int, rest)) for _, rule, *rest in submitted(folder)}
    [part] = workload.sweep_parts(SMALL["n_values"], SMALL["head_dims"]).values()
    assert asked.pop("fused_sweep") == (1, workload.memory_mb(64, 16), workload.minutes(part, 16))
    assert asked == {"fused_section": (1, workload.BASE_MB, 5)}


@workflow
@pytest.mark.slow
def test_a_job_that_fails_on_a_cluster_fails_the_run_with_its_sentence(cluster):
    folder, (_, _, *options) = cluster
    broken = copy_of_repository(folder / "clone")
    change_digit(broken / "kernels" / "fused.wgsl", b"BR * C>", b"2u * BR * C>")
    done = run(folder, "results/kernels.json", "-s", f"{broken}/Snakefile", *options)
    assert done.returncode == 1
    failed = r"section kernels failed \(external_jobid: job-.*\): does not hold: fused.wgsl:26: "
    assert re.search(f"^{failed}.*; its log: results/logs/kernels.log$", done.stdout, re.MULTILINE)
    assert [rule for _, rule, *_ in submitted(folder)] == ["section"]


@workflow
@pytest.mark.slow
def test_a_job_that_is_killed_on_a_cluster_fails_the_run(cluster):
    """As an out-of-memory killer or a lost node does it: nothing of the job lives to say so."""
    folder, options = cluster
    process = subprocess.Popen(
        [*SNAKEMAKE, "results/mutants.json", *options],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not submitted(folder) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    [[job, rule, *_]] = submitted(folder)
    number = folder / ".snakemake" / "cluster" / f"{job}.pid"
    while not (number.exists() and number.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    killed = False
    while not killed and time.monotonic() < deadline:
        # The number is written before the job has become a group of its own.
        with suppress(ProcessLookupError):
            os.killpg(int(number.read_text()), signal.SIGKILL)
            killed = True
    output, _ = process.communicate(timeout=120)
    assert rule == "section"
    assert process.returncode == 1
    assert f"external_jobid: {job}" in output
    assert not (folder / "results" / "mutants.json").exists()
    assert not list(Path(folder, ".snakemake", "cluster").glob("*.end"))


@workflow
def test_a_larger_sweep_is_planned_and_cut_into_jobs(clone, tmp_path):
    (tmp_path / "large.yaml").write_text(yaml.safe_dump(LARGE))
    done = run(
        tmp_path, "-n", "--cores", "1", "-s", f"{clone}/Snakefile", "--configfile", "large.yaml"
    )
    assert done.returncode == 0, done.stdout[-3000:]
    jobs = done.stdout.count("\nrule sweep:")
    assert jobs == len(workload.sweep_parts(LARGE["n_values"], LARGE["head_dims"])) == 20


def arguments(settings):
    """A profile's settings as the command line that Snakemake makes of them."""
    for key, value in settings.items():
        yield f"--{key}"
        if isinstance(value, dict):
            yield from (f"{name}={item}" for name, item in value.items())
        elif value is not True:
            yield str(value)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_holds_only_what_snakemake_knows(name):
    """Where Slurm's executor may be missing, its options are told by their names alone."""
    settings = profile(name)
    assert settings.pop("executor", "slurm") in ("slurm", "cluster-generic")
    settings = {key: value for key, value in settings.items() if not key.startswith("slurm-")}
    # By rules' names, which an importing workflow changes.
    assert not {"groups", "set-resources", "set-threads"} & set(settings)
    text = "".join(path.read_text() for path in (ROOT / "workflow" / "rules").glob("*.smk"))
    for resource in settings.get("default-resources", {}):
        assert f"{resource}=" in text
    parser = get_argument_parser()
    _, unknown = parser.parse_known_args(list(arguments(settings)))
    assert unknown == []
