"""Gather all results into facts.json, with its claims, and validate it."""

from pathlib import Path

from fusedfacts.documents import canonical_json, files
from fusedfacts.terminal import reporting
from fusedfacts.experiments import facts as assemble

with reporting(snakemake.log[0]):
    p, given = snakemake.params, snakemake.input
    sections = {name: canonical_json.read(Path(given[name])) for name in p.sections}
    sizes = [size for path in given.sweep for size in canonical_json.read(Path(path))]
    timings = canonical_json.read(Path(given.timings)) if given.timings else None
    document = assemble.facts(p.inputs, p.settings, sections, sizes, timings)
    files.write_json(snakemake.output[0], document)
