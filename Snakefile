"""From the model's weights to a checked facts.json: `snakemake --cores 4`."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod
from snakemake.utils import min_version

min_version("9.27.1")

# Read from an address, the Snakefile comes alone: model, kernels and library stay behind.
if not os.path.isdir(base := str(workflow.current_basedir)):
    raise WorkflowError(
        f"{base}: found a Snakefile read from an address, expected one in a clone on this machine;"
        " clone the repository and name its file: snakefile: '../fused-facts/Snakefile'"
    )

ROOT = Path(base)
LIBRARY = str(ROOT / "workflow")
# Jobs are new interpreters: the path reaches them, here and wherever an executor starts them.
sys.path.insert(0, LIBRARY)
inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
paths = [LIBRARY, *(path for path in inherited if path not in ("", LIBRARY))]
# The profiles' own scripts are found by the other, from whatever folder a run is started in.
os.environ.update(PYTHONPATH=os.pathsep.join(paths), FUSED_FACTS=str(ROOT))


configfile: str(ROOT / "config.yaml")


# Packages come from .venv, and no image holds them: where containers are asked for, say by a workflow
# that imports this one, these rules name none. Snakemake's linter wants each rule's software named,
# so elsewhere, where nothing uses it, stands the system that CI runs on.
if DeploymentMethod.APPTAINER not in workflow.deployment_settings.deployment_method:

    container: "docker://debian:13"


include: "workflow/rules/common.smk"


from fusedfacts.pipeline import progress

# A workflow that imports this one speaks for itself.
if Path(workflow.main_snakefile).parent in (ROOT, ROOT / "workflow"):
    progress.attach(workflow)
else:
    workflow.logger_manager.logger.addFilter(progress.with_reason)


# Before any job writes: what a killed run left of its writing is nobody's.
onstart:
    for left in files.temporaries(Path("results")):
        left.unlink(missing_ok=True)


# The first rule, so the default target; where a workflow that imports this one has a rule before
# it, that one stays the default.
rule all:
    input:
        REPORT_PAGES,
        # Times differ from run to run, so a run that takes them publishes nothing.
        ([*PICTURES, "results/devices/checked.ok"] if CONFIG["time_kernels"] else STAMP),


include: "workflow/rules/sections.smk"
include: "workflow/rules/devices.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/lesson.smk"
include: "workflow/rules/page.smk"
include: "workflow/rules/crate.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/audit.smk"
