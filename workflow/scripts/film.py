"""The film's timeline, its captions and its transcript, every number quoted from the facts."""

from pathlib import Path

from fusedfacts.documents import canonical_json, files
from fusedfacts.terminal import reporting
from fusedfacts.lesson import drawn, film as document, transcript, captions as webvtt
from fusedfacts.lesson.scenes import Sizes

with reporting(snakemake.log[0]):
    facts = canonical_json.read(Path(snakemake.input.facts))
    film = document.film(facts, Sizes(**snakemake.params.sizes))
    files.write_json(snakemake.output.film, film)
    files.write_json(snakemake.output.drawn, drawn.drawn(facts, film))
    files.write_bytes(Path(snakemake.output.captions), webvtt.webvtt(film).encode())
    text = transcript.transcript(facts, film)
    files.write_bytes(Path(snakemake.output.transcript), text.encode())
