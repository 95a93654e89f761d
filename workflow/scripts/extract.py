"""Load the model, check it, write Q, K, V and the model's own figures."""

from pathlib import Path

from fusedfacts.model import qkv as extract
from fusedfacts.documents import files
from fusedfacts.numerics import subnormals
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    subnormals.require_kept()
    paths = {part: snakemake.input[part] for part in extract.PARTS}
    loaded = extract.load(paths, snakemake.params.sha256)
    rows = snakemake.params.control_key_rows
    tensors = extract.save(extract.tensors(loaded, rows))
    files.write_bytes(Path(snakemake.output.qkv), tensors)
    files.write_json(snakemake.output.model, extract.results(loaded, rows))
