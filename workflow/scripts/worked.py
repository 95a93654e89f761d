"""The case worked by hand, and the contract's constants."""

from fusedfacts import contract, files, worked
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    files.write_json(snakemake.output.worked, worked.results())
    files.write_json(snakemake.output.contract, contract.results())
