"""The hashes of everything that is to be published."""

from pathlib import Path

from fusedfacts import files, publish
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    built = dict(zip(snakemake.params.names, map(Path, snakemake.input.files), strict=True))
    files.write_json(snakemake.output[0], publish.manifest(built))
