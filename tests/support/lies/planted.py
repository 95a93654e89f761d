"""Plant lies, carelessly and carefully, and see what the audits find; the document's table."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from fusedfacts.audit import rendered
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError
from fusedfacts.experiments import facts as assemble
from fusedfacts.experiments import heads
from fusedfacts.kernels import manifest as kernels
from fusedfacts.lesson import assets
from fusedfacts.pipeline import config as settings
from fusedfacts.prose import forms, spans
from fusedfacts.publishing import crate as crates
from fusedfacts.publishing import manifest as publish

from support import audits, own_heads
from support.common import PUBLISHED, ROOT
from support.lies.planting import FACTS, Lie
from support.workflow_runs import copy_of_repository

# What a fresh build alone can tell; the other checks of a full audit are those of the quick one.
FRESH = ("packages: ", "build: ", "exact: ", "bounded: ", "rebuilt: ")


def copy_with_heads(folder):
    """Copy the repository, its facts told of heads of one's own, too, and all that follows."""
    copy = copy_of_repository(folder)
    config = settings.read(copy) | own_heads.given(copy)
    (copy / "config.yaml").write_text(yaml.safe_dump(config))
    document = canonical_json.read(copy / FACTS)
    chosen = {key: config[key] for key in heads.SECTION.settings}
    document["heads"] = heads.compute(**{**chosen, "heads": str(copy / own_heads.NAME)})
    files.write_bytes(copy / FACTS, canonical_json.dumps(document).encode())
    mend(Lie("nothing", lambda _: None, "", "claims", of_source=True), copy)
    return copy


def _digest(path):
    return files.sha256(path.read_bytes())


def mend(lie, copy, root=None, words=True):
    """Make everything agree with a lie, short of computing anything, as the careful liar does.

    `copy` may hold the published folder alone: then it follows from `root`. Words can be left as
    they were, where the check that is asked reads none.
    """
    if lie.of_source:
        _mend_config(copy)
    root = root or copy
    config = settings.read(root)
    folder = copy / audits.WHERE
    if "words" in lie.remakes:
        document = canonical_json.read(copy / FACTS)
        if lie.of_source:
            for part in settings.MODEL_PARTS:
                document["inputs"][part]["sha256"] = config[f"{part}_sha256"]
            for entry in document["kernels"]["kernels"]:
                entry["sha256"] = _digest(root / "kernels" / f"{entry['name']}.wgsl")
            document["kernels"]["manifest_sha256"] = _digest(root / "kernels" / kernels.MANIFEST)
            document["settings"] = settings.settings(config)
        if "claims" in lie.remakes:
            document["claims"] = assemble.claims(document)
        if lie.check != "schema":  # else the form is the lie
            files.write_bytes(copy / FACTS, canonical_json.dumps(document).encode())
        if words:
            for name, data in rendered.rendered(document, config).items():
                files.write_bytes(folder / name, data)
            if "documents" in lie.remakes:
                _mend_documents(copy, document)
    if lie.of_source and config["film"]:
        model = [copy / config[part] for part in settings.MODEL_PARTS]
        for name, path in assets.copies(copy, model).items():
            shutil.copyfile(path, folder / name)
    if "hashes" in lie.remakes:
        _mend_hashes(folder, root, config)


def _mend_config(copy):
    path = copy / "config.yaml"
    found = path.read_text()
    config = yaml.safe_load(found)
    for part in settings.MODEL_PARTS:
        found = found.replace(config[f"{part}_sha256"], _digest(copy / config[part]))
    path.write_text(found)


def _mend_documents(copy, document):
    claims = forms.by_id(document)
    for path in rendered.documents(copy):
        path.write_text(spans.corrected(path.read_text(encoding="utf-8"), claims), encoding="utf-8")


def _mend_hashes(folder, root, config):
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    names -= {publish.MANIFEST, publish.SUMS}
    names = {name for name in names if publish.NAME.fullmatch(name)}  # no manifest lists others
    model = {config[part]: str(root / config[part]) for part in settings.input_parts(config)}
    old = canonical_json.read(folder / publish.MANIFEST)
    try:
        sources = publish.inputs(root, model)
    except FactsError:  # a link, of which no manifest can speak
        paths = {name: root / name for name in old["inputs"]}
        sources = {name: path for name, path in paths.items() if path.is_file()}
    built = {name: folder / name for name in names}
    document = publish.build(built, sources, publish.effective(config))
    crate = root / publish.CRATE
    if "crate" in old and crate.parent in folder.parents:
        built = {name: (folder / name).read_bytes() for name in publish.built_by_run(document)}
        described = crates.render(root, built, sources)
        files.write_bytes(crate, canonical_json.dumps(described).encode())
        document["crate"] = _digest(crate)
    files.write_json(folder / publish.MANIFEST, document)
    files.write_bytes(folder / publish.SUMS, publish.sums(document).encode())


@contextmanager
def restored(folder):
    """Put every file back as it was, its time included, so that nothing recompiles."""
    skip = shutil.ignore_patterns("__pycache__", "results", ".snakemake")
    with tempfile.TemporaryDirectory() as name:
        archive = Path(name) / "archive"
        shutil.copytree(folder, archive, ignore=skip)
        try:
            yield
        finally:
            for path in archive.rglob("*"):
                place = folder / path.relative_to(archive)
                if path.is_file() and not _alike(path, place):
                    shutil.copy2(path, place)


def _alike(one, other):
    return other.is_file() and one.read_bytes() == other.read_bytes()


@dataclass(frozen=True)
class Seen:
    """The faults that each audit found: quick and full, of a careless and of a careful liar."""

    careless: list[str]
    careful: list[str]
    full: list[str]

    def cells(self):
        """Whether each saw something."""
        return bool(self.careless), bool(self.careful), bool(self.full)


def seen(lie, copy, small, computed=PUBLISHED):
    """Plant a lie and let the audits look.

    Parameters
    ----------
    lie : Lie
    copy : Path
        A copy of the repository, spoiled by this.
    computed : Path
        What a fresh build of that copy would give.
    small : Path
        One with a small sweep, published and left as it was; for fresh builds of a false source.
    """
    folder = copy / audits.WHERE

    def quick():
        # A false source may be the library itself, so it is the copy's that must look.
        return audits.by_command(copy) if lie.of_source else audits.quickly(folder, copy)

    lie.plant(copy)
    careless = quick()
    mend(lie, copy)
    careful = quick()
    if not lie.of_source:
        return Seen(careless, careful, careful + audits.against(folder, computed))
    return Seen(careless, careful, careful or rebuilt(lie, small))


def rebuilt(lie, small):
    """Find what a fresh build says of a careful liar's false source."""
    with restored(small):
        lie.plant(small)
        mend(lie, small)
        full = audits.by_command(small, "--full")
    return [fault for fault in full if fault.startswith(FRESH)]


HEAD = """\
| fault | quick, careless | quick, careful | full, careful |
|---|---|---|---|
"""
TABLE = re.compile(r"(?<=<!-- lies -->\n).*?(?=<!-- end of lies -->)", re.DOTALL)
WORDS = {True: "caught", False: "not caught"}
DOCUMENT = ROOT / "docs" / "audit.md"


def row(lie, cells):
    """Write a line of the table."""
    careless, careful, full = (WORDS[cell] for cell in cells)
    note = f": {lie.becomes_true}" if lie.becomes_true else ""
    return f"| {lie.what} | {careless} | {careful} | {full}{note} |\n"
