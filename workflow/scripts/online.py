"""One-pass softmax on seeded rows and on the model's rows, and the record law."""

from fusedfacts.model import qkv as extract
from fusedfacts.documents import files
from fusedfacts.experiments import attention, online_softmax
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    p, qkv = snakemake.params, extract.read(snakemake.input.qkv)
    results = {
        "kinds": online_softmax.kind_results(p.seed, p.online_rows, p.online_length),
        "record_law": online_softmax.record_results(p.seed, p.record_rows, p.record_lengths),
        "model_rows": attention.one_pass_results(qkv["held_out.q"], qkv["held_out.k"]),
    }
    files.write_json(snakemake.output[0], results)
