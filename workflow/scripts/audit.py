"""Hold what is published against a build from nothing, whatever `results/` holds."""

from pathlib import Path

from fusedfacts.publishing import folder
from fusedfacts.audit import run
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    p, results = snakemake.params, Path(snakemake.log[0]).parents[1]
    facts = folder.beside(results / "audit.json", p.folder) / folder.FACTS
    run.of_workflow(Path(p.root), facts, snakemake.threads, p.config, results)
