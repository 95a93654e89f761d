"""The RO-Crate of the repository, of the files that are to be published."""

from pathlib import Path

from fusedfacts.documents import files, repository
from fusedfacts.terminal import reporting
from fusedfacts.publishing import crate

with reporting(snakemake.log[0]):
    given, p = snakemake.input, snakemake.params
    published = {name: Path(path).read_bytes() for name, path in zip(p.names, given.files, strict=True)}
    inputs = dict(zip(p.sources, map(Path, given.sources), strict=True))
    files.write_json(snakemake.output[0], crate.render(repository.ROOT, published, inputs))
