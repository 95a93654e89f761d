"""The kernels' text against the static gate."""

from fusedfacts import files, kernel_facts
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    files.write_json(snakemake.output[0], kernel_facts.results())
