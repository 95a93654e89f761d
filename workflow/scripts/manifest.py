"""The hashes of everything that is to be published, and of everything that it came from."""

from pathlib import Path

from fusedfacts.documents import files
from fusedfacts.publishing import manifest
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    given, p = snakemake.input, snakemake.params
    built = dict(zip(p.names, map(Path, given.files), strict=True))
    inputs = dict(zip(p.sources, map(Path, given.sources), strict=True))
    crate = Path(given.crate[0]) if given.crate else None
    files.write_json(snakemake.output[0], manifest.build(built, inputs, p.config, crate))
