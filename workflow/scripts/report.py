"""The pages and captions of Snakemake's report."""

from pathlib import Path

from fusedfacts.documents import canonical_json, files
from fusedfacts.lesson import report
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    facts = canonical_json.read(Path(snakemake.input.facts))
    folder = Path(snakemake.output.index).parent
    captions = {f"{name}.rst": text for name, text in report.captions(facts).items()}
    pages = {"claims.html": report.claims(facts), "worked.html": report.worked(facts)}
    for name, text in {**captions, **pages, "index.rst": report.index(facts)}.items():
        files.write_bytes(folder / name, text.encode())
