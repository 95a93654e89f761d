"""From the model's weights to a checked facts.json: `snakemake --cores 4`."""

import os
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27.1")

ROOT = Path(str(workflow.current_basedir))
LIBRARY = str(ROOT / "workflow")
# Jobs are new interpreters: the path reaches them, here and wherever an executor starts them.
sys.path.insert(0, LIBRARY)
inherited = filter(None, [os.environ.get("PYTHONPATH")])
os.environ.update(PYTHONPATH=os.pathsep.join([LIBRARY, *inherited]))


configfile: str(ROOT / "config.yaml")


# Unused unless `--software-deployment-method apptainer` asks for it.
container: "docker://debian:13"


include: "workflow/rules/common.smk"
include: "workflow/rules/model.smk"
include: "workflow/rules/sweep.smk"
include: "workflow/rules/devices.smk"
include: "workflow/rules/facts.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        rules.report_pages.output,
        # Times differ from run to run, so a run that takes them publishes nothing.
        (
            [rules.pictures.output, "results/devices/checked.ok"]
            if CONFIG["time_kernels"]
            else STAMP
        ),
