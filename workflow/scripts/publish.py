"""Replace the published files, the manifest last; leave a stamp of what was published."""

from pathlib import Path

from fusedfacts.documents import files, repository
from fusedfacts.publishing import folder
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    built, stamp, p = Path(snakemake.input.manifest), Path(snakemake.output[0]), snakemake.params
    crate_of = repository.ROOT if p.described else None
    left = folder.publish(built, stamp.parents[1] / p.folder, crate_of)  # beside results/
    files.write_bytes(stamp, f"{left}\n".encode())
