"""Plain and tiled attention on the probe, every head, within the bound."""

from fusedfacts.model import qkv as extract
from fusedfacts.documents import files
from fusedfacts.experiments import attention
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    qkv = extract.read(snakemake.input.qkv)
    probe = (qkv["probe.q"], qkv["probe.k"], qkv["probe.v"])
    results = attention.attention_results(*probe, snakemake.params.model_key_rows)
    files.write_json(snakemake.output[0], results)
