"""The matrix of faults and inputs."""

from fusedfacts.documents import files
from fusedfacts.experiments import mutants
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    files.write_json(snakemake.output[0], mutants.results(snakemake.params.seed))
