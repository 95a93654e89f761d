"""The published folder: what must be in it is, whole, and nothing else."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from fusedfacts.audit.rules import Tally
from fusedfacts.audit.sources import departed
from fusedfacts.audit.subject import RESTORE, Subject
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError
from fusedfacts.figures import gallery
from fusedfacts.lesson.assets import copies, kernel_files
from fusedfacts.publishing import manifest as manifests

FILM = ("film.json", "captions.vtt", "transcript.md", "index.html")


def _copies(subject: Subject) -> dict[str, bytes]:
    """Read the files that are published as they stand in the tree."""
    found = copies(subject.root, [str(path) for path in subject.model.values()])
    return {name: files.read_bytes(path, RESTORE) for name, path in found.items()}


def expected_names(subject: Subject) -> set[str]:
    """List what a run with this config lists in its manifest, device reports apart."""
    names = {manifests.FACTS, *(f"pictures/{name}.svg" for name in gallery.GALLERY)}
    if subject.config["film"]:
        names |= {*FILM, *_copies(subject)}
    return names


def check_folder(subject: Subject, tally: Tally) -> None:
    """Require every file with the hash that the manifest lists; none missing, none too many."""
    manifest = subject.manifest
    listed, where = manifest["files"], subject.where
    tally.require(
        canonical_json.dumps(manifest) == subject.text(manifests.MANIFEST),
        f"{where(manifests.MANIFEST)}: found other bytes than the one JSON writer gives; {RESTORE}",
    )
    for name in subject.links:
        fault = f"{where(name)}: found a link or an empty folder, expected files; {RESTORE}"
        tally.require(False, fault)
    for name, digest in sorted(listed.items()):
        if name not in subject.content:
            fault = f"{where(name)}: not found, expected it as the manifest says; {RESTORE}"
            tally.require(False, fault)
            continue
        found = files.sha256(subject.content[name])
        tally.require(
            found == digest,
            f"{where(name)}: sha256 found {found}, expected {digest} as the manifest says: it was"
            f" edited, or a run was killed while publishing; {manifests.MEND}",
        )
    reports = {name for name in listed if name.startswith(f"{manifests.DEVICES}/")}
    for name in sorted(set(listed) - reports ^ expected_names(subject)):
        side = "the manifest" if name in listed else "what a run with this config publishes"
        fault = f"{where(name)}: found in {side} alone, expected it in both; {RESTORE}"
        tally.require(False, fault)
    tally.require(
        subject.content.get(manifests.SUMS) == manifests.sums(manifest).encode(),
        f"{where(manifests.SUMS)}: found other lines than those that follow from the manifest;"
        f" {RESTORE}",
    )
    for name in sorted(set(subject.content) - {*listed, manifests.MANIFEST, manifests.SUMS}):
        if files.TEMPORARY.fullmatch(PurePosixPath(name).name):
            why = f"found what a killed run left, expected nothing; {manifests.MEND}"
        else:
            why = (
                "found a file that the manifest does not list, expected only what a run publishes;"
                " delete it"
            )
        tally.require(False, f"{where(name)}: {why}")


def check_copies(subject: Subject, tally: Tally) -> None:
    """Compare scripts, style, kernels and model with the repository's own, byte for byte."""
    if not subject.config["film"]:
        return
    # Where a model file departs from the config, its copy is not what is wrong.
    gone = {f"model/{Path(name).name}" for name in departed(subject)}
    for name, expected in _copies(subject).items():
        tally.require(
            subject.content.get(name) == expected or name in gone,
            f"{subject.where(name)}: found other bytes than the repository's own; {RESTORE}",
        )


def check_devices(subject: Subject, tally: Tally) -> None:
    """Hold device reports that were archived against their schema, themselves and the kernels."""
    names = [n for n in subject.content if n.startswith(f"{manifests.DEVICES}/")]
    if not names:
        return
    from fusedfacts.device import consistent
    from fusedfacts.documents import schema

    kernels = {path.name: path for path in kernel_files(subject.root)}
    for name in sorted(names):
        where = subject.where(name)
        try:
            document = canonical_json.loads(subject.text(name), where)
            schema.validate(document, "device", where, "delete it, or copy it again")
            consistent.check(document, where)
        except FactsError as error:
            tally.require(False, str(error))
            continue
        used = document["kernels"]
        other = [
            name
            for name, path in kernels.items()
            if name in used and used[name] != files.sha256(files.read_bytes(path, RESTORE))
        ]
        tally.require(
            not other,
            f"{where}: was made with another kernels/{'/'.join(other[:1])} than the repository's;"
            " make it again with `snakemake --cores 1 device`, or delete it",
        )
