"""Every picture of the facts."""

from pathlib import Path

from fusedfacts import canonical_json, files
from fusedfacts.cli import reporting
from fusedfacts.pictures import gallery

with reporting(snakemake.log[0]):
    facts = canonical_json.read(Path(snakemake.input.facts))
    for path in map(Path, snakemake.output):
        files.write_bytes(path, gallery.GALLERY[path.stem].draw(facts).encode())
