"""The kernels' text against the static gate."""

from fusedfacts.documents import files
from fusedfacts.experiments import kernels
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    files.write_json(snakemake.output[0], kernels.results())
