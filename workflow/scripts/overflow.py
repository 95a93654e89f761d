"""The fp16 arithmetic on the model's scores."""

from fusedfacts.model import qkv as extract
from fusedfacts.documents import files
from fusedfacts.experiments import overflow
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    qkv = extract.read(snakemake.input.qkv)
    tensors = (qkv["probe.q"], qkv["probe.k"], qkv["held_out.q"], qkv["held_out.k"])
    files.write_json(snakemake.output[0], overflow.results(*tensors))
