"""The kernels on a device: self-test, checks and, if asked for, times."""

from fusedfacts.model import qkv as extract
from fusedfacts.documents import files
from fusedfacts.numerics import subnormals
from fusedfacts.terminal import progress_bar, reporting
from fusedfacts.device import pipelines, report

with reporting(snakemake.log[0]):
    subnormals.require_kept()
    p = snakemake.params
    qkv = extract.read(snakemake.input.qkv)
    device = pipelines.opened(p.wanted)
    sizes = [(n, d) for n, d in p.sizes]
    steps = report.steps(sizes, p.time_kernels)
    with progress_bar(steps, in_logs=True) as progress:
        document = report.report(
            device, (qkv["probe.q"], qkv["probe.k"], qkv["probe.v"]), sizes,
            seed=p.seed, control_key_rows=p.control_key_rows, time_kernels=p.time_kernels,
            progress=progress,
        )
    files.write_json(snakemake.output[0], document)
