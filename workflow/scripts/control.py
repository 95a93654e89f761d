"""The broken-rescale control on the probe, every head."""

from fusedfacts.experiments import control
from fusedfacts.model import qkv as extract
from fusedfacts.documents import files
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    qkv = extract.read(snakemake.input.qkv)
    probe = (qkv["probe.q"], qkv["probe.k"], qkv["probe.v"])
    results = control.results(*probe, snakemake.params.control_key_rows)
    files.write_json(snakemake.output[0], results)
