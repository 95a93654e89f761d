"""The RO-Crate of the repository, of the files that are to be published."""

from pathlib import Path

from fusedfacts.documents import files, repository
from fusedfacts.terminal import reporting
from fusedfacts.publishing.crate import layout, tree

with reporting(snakemake.log[0]):
    given, p = snakemake.input, snakemake.params
    published = dict(zip(p.names, map(Path, given.files), strict=True))
    inputs = dict(zip(p.sources, map(Path, given.sources), strict=True))
    made = tree.crate(repository.ROOT, tree.contents(published), inputs, layout.FOLDER)
    files.write_json(snakemake.output[0], made)
