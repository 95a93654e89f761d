"""Hold what is published against a build from nothing, whatever `results/` holds."""

from pathlib import Path

from fusedfacts.publishing import manifest
from fusedfacts.audit import run
from fusedfacts.numerics import subnormals
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    subnormals.require_kept()
    p, results = snakemake.params, Path(snakemake.log[0]).parents[1]
    facts = results.parent / p.folder / manifest.FACTS
    run.of_workflow(Path(p.root), facts, snakemake.threads, p.config, results)
