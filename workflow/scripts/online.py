"""One-pass softmax on seeded rows and on the model's rows, and the record law."""

from fusedfacts import extract, files, model_checks, online_checks
from fusedfacts.cli import reporting

with reporting(snakemake.log[0]):
    p, qkv = snakemake.params, extract.read(snakemake.input.qkv)
    results = {
        "kinds": online_checks.kind_results(p.seed, p.online_rows, p.online_length),
        "record_law": online_checks.record_results(p.seed, p.record_rows, p.record_lengths),
        "model_rows": model_checks.one_pass_results(qkv["held_out.q"], qkv["held_out.k"]),
    }
    files.write_json(snakemake.output[0], results)
