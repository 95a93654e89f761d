"""The matrix of faults and inputs."""

from fusedfacts import files, mutants
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    files.write_json(snakemake.output[0], mutants.results(snakemake.params.seed))
