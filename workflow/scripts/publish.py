"""Replace the published files, the manifest last; leave a stamp of what was published."""

from pathlib import Path

from fusedfacts import files, publish
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    stamp = publish.publish(Path(snakemake.input.manifest), Path(snakemake.params.folder))
    files.write_bytes(Path(snakemake.output[0]), f"{stamp}\n".encode())
