"""Replace the published files, the manifest last; leave a stamp of what was published."""

from pathlib import Path

from fusedfacts.documents import files, repository
from fusedfacts.publishing import folder as publish, stamp
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    path = Path(snakemake.output[0])
    folder = stamp.folder_beside(path, snakemake.params.folder)
    left = publish.publish(Path(snakemake.input.manifest), folder)
    if snakemake.params.described:  # once nothing is refused any more
        publish.place_crate(Path(snakemake.input.manifest), repository.ROOT)
    files.write_bytes(path, f"{left}\n".encode())
