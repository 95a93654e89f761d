"""Replace the published files, the manifest last; leave a stamp of what was published."""

from pathlib import Path

from fusedfacts import files, publish
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    stamp = Path(snakemake.output[0])
    folder = publish.folder_beside(stamp, snakemake.params.folder)
    left = publish.publish(Path(snakemake.input.manifest), folder)
    files.write_bytes(stamp, f"{left}\n".encode())
