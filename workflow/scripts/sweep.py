"""Some sizes of the traffic sweep at one head dimension."""

from fusedfacts.documents import files
from fusedfacts.experiments import sweep
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    p = snakemake.params
    results = [sweep.size_results(n, p.d, p.seed) for n in p.sizes]
    files.write_json(snakemake.output[0], results)
