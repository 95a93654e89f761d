"""Plain and tiled attention on the probe, every head, within the bound."""

from fusedfacts import extract, files, model_checks
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    qkv = extract.read(snakemake.input.qkv)
    probe = (qkv["probe.q"], qkv["probe.k"], qkv["probe.v"])
    results = model_checks.attention_results(*probe, snakemake.params.model_key_rows)
    files.write_json(snakemake.output[0], results)
