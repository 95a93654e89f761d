"""index.html, and copies of the files that it loads."""

from pathlib import Path

from fusedfacts.documents import canonical_json, files
from fusedfacts.lesson import page
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    facts, film = (canonical_json.read(Path(snakemake.input[name])) for name in ("facts", "film"))
    files.write_bytes(Path(snakemake.output.index), page.page(facts, film).encode())
    for source, copy in zip(snakemake.input.files, snakemake.output.files, strict=True):
        files.write_bytes(Path(copy), Path(source).read_bytes())
