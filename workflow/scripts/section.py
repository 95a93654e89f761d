"""Compute one section of facts.json, or of the sweep some sizes."""

from fusedfacts.documents import files
from fusedfacts.experiments import facts
from fusedfacts.model import qkv
from fusedfacts.numerics import subnormals
from fusedfacts.terminal import reporting

with reporting(snakemake.log[0]):
    subnormals.require_kept()
    p = snakemake.params
    section = facts.SECTIONS[p.section]
    tensors = qkv.read(snakemake.input.qkv) if section.tensors else {}
    given = [tensors[name] for name in section.tensors]
    files.write_json(snakemake.output[0], section.compute(*given, **p.settings))
