"""The published folder: what must be in it is, whole, and nothing else."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from fusedfacts.audit import sources
from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import MEND, Subject
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError
from fusedfacts.figures import gallery
from fusedfacts.lesson.assets import copies, kernel_files
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests

FILM = ("film.json", "captions.vtt", "transcript.md", "index.html")


def _copies(subject: Subject) -> dict[str, bytes]:
    """The files that are published as they stand in the tree."""
    model = [
        settings.model_file(subject.config[part], subject.root) for part in settings.MODEL_PARTS
    ]
    found = copies(subject.root, model)
    return {name: files.read_bytes(path, MEND) for name, path in found.items()}


def expected_names(subject: Subject) -> set[str]:
    """What a run with this config lists in its manifest, device reports apart."""
    names = {manifests.FACTS, *(f"pictures/{name}.svg" for name in gallery.GALLERY)}
    if subject.config["film"]:
        names |= {*FILM, *_copies(subject)}
    return names


def whole(subject: Subject, tally: Tally) -> None:
    """Every file has the hash that the manifest lists; none is missing, none is too many."""
    manifest = manifests.parse(subject.text(manifests.MANIFEST), subject.where(manifests.MANIFEST))
    tally.hold(
        canonical_json.dumps(manifest) == subject.text(manifests.MANIFEST),
        f"{subject.where(manifests.MANIFEST)}: found other bytes than the one JSON writer gives;"
        f" {MEND}",
    )
    listed = manifest["files"]
    for name in subject.links:
        tally.hold(
            False,
            f"{subject.where(name)}: found a link or an empty folder, expected files; {MEND}",
        )
    for name, digest in sorted(listed.items()):
        where = subject.where(name)
        if name not in subject.content:
            tally.hold(False, f"{where}: not found, expected it as the manifest says; {MEND}")
            continue
        found = files.sha256(subject.content[name])
        tally.hold(
            found == digest,
            f"{where}: sha256 found {found}, expected {digest} as the manifest says: it was edited,"
            f" or a run was killed while publishing; {manifests.MEND}",
        )
    reports = {name for name in listed if name.startswith(f"{manifests.DEVICES}/")}
    for name in sorted(set(listed) - reports ^ expected_names(subject)):
        side = "the manifest" if name in listed else "what a run with this config publishes"
        tally.hold(
            False,
            f"{subject.where(name)}: found in {side} alone, expected it in both; {MEND}",
        )
    tally.hold(
        subject.content.get(manifests.SUMS) == manifests.sums(manifest).encode(),
        f"{subject.where(manifests.SUMS)}: found other lines than those that follow from the"
        f" manifest; {MEND}",
    )
    for name in sorted(set(subject.content) - {*listed, manifests.MANIFEST, manifests.SUMS}):
        left = files.TEMPORARY.fullmatch(PurePosixPath(name).name)
        tally.hold(
            False,
            f"{subject.where(name)}: found what a killed run left, expected nothing;"
            f" {manifests.MEND}"
            if left
            else f"{subject.where(name)}: found a file that the manifest does not list, expected"
            " only what a run publishes; delete it",
        )


def copied(subject: Subject, tally: Tally) -> None:
    """Scripts, style, kernels and model are those of the repository, byte for byte."""
    if not subject.config["film"]:
        return
    # Where a model file departs from the config, its copy is not what is wrong.
    departed = {f"model/{Path(name).name}" for name in sources.departed(subject)}
    for name, expected in _copies(subject).items():
        tally.hold(
            subject.content.get(name) == expected or name in departed,
            f"{subject.where(name)}: found other bytes than the repository's own; {MEND}",
        )


def devices(subject: Subject, tally: Tally) -> None:
    """Device reports that were kept fit their schema and agree with themselves."""
    names = [n for n in subject.content if n.startswith(f"{manifests.DEVICES}/")]
    if not names:
        return
    from fusedfacts.device import consistent
    from fusedfacts.documents import schema

    for name in sorted(names):
        where = subject.where(name)
        try:
            document = canonical_json.loads(subject.text(name), where)
            schema.validate(document, "device", where, "delete it, or copy it again")
            consistent.check(document, where)
        except FactsError as error:
            tally.hold(False, str(error))
            continue
        run = document["kernels"]
        other = [path.name for path in kernel_files(subject.root) if _other(path, run)]
        tally.hold(
            not other,
            f"{where}: was made with another kernels/{'/'.join(other[:1])} than the repository's;"
            " make it again with `snakemake --cores 1 device`, or delete it",
        )


def _other(path: Path, run: dict[str, str]) -> bool:
    """Whether a report was made with a kernel file of that name and other bytes."""
    return path.name in run and run[path.name] != files.sha256(files.read_bytes(path, MEND))
