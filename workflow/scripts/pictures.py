"""Every picture of the facts."""

from pathlib import Path

from fusedfacts.documents import canonical_json, files
from fusedfacts.terminal import reporting
from fusedfacts.figures import gallery

with reporting(snakemake.log[0]):
    facts = canonical_json.read(Path(snakemake.input.facts))
    for path in map(Path, snakemake.output):
        files.write_bytes(path, gallery.GALLERY[path.stem].draw(facts).encode())
