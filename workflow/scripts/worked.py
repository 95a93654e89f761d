"""The case worked by hand, and the contract's constants."""

from fusedfacts.experiments import contract, worked
from fusedfacts.documents import files
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    files.write_json(snakemake.output.worked, worked.results())
    files.write_json(snakemake.output.contract, contract.results())
