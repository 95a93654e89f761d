"""A device report as pictures."""

from pathlib import Path

from fusedfacts.documents import canonical_json, files
from fusedfacts.terminal import reporting
from fusedfacts.figures import device as pictures

DRAW = {"exp": pictures.exp_accuracy, "time": pictures.times}
with reporting(snakemake.log[0]):
    report = canonical_json.read(Path(snakemake.input.measured))
    for kind, path in snakemake.output.items():
        files.write_bytes(Path(path), DRAW[kind](report).encode())
