"""The published folder: what must be in it is, whole, and nothing else."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from fusedfacts.audit.rules import FOLDER, Tally, check
from fusedfacts.audit.sources import departed
from fusedfacts.audit.subject import RESTORE, Subject
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import FactsError
from fusedfacts.figures import gallery
from fusedfacts.lesson.assets import copies, kernel_files
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests

FILM = ("film.json", "drawn.json", "captions.vtt", "transcript.md", "index.html")


def _copies(subject: Subject) -> dict[str, bytes]:
    """Read the files that are published as they stand in the tree."""
    # Heads of one's own are judged and not published: they may be as large as a layer is.
    model = [str(subject.model[subject.config[part]]) for part in settings.MODEL_PARTS]
    found = copies(subject.root, model)
    return {name: files.read_bytes(path, RESTORE) for name, path in found.items()}


def expected_names(subject: Subject) -> set[str]:
    """List what a run with this config lists in its manifest, device reports apart."""
    names = {manifests.FACTS, *(f"pictures/{name}.svg" for name in gallery.GALLERY)}
    if subject.config["film"]:
        names |= {*FILM, *_copies(subject)}
    return names


@check("folder", "published files against the manifest", "files", FOLDER)
def check_folder(subject: Subject, tally: Tally) -> None:
    """Require every file with the hash that the manifest lists; none missing, none too many."""
    manifest = subject.manifest
    listed, where = manifest["files"], subject.where
    tally.require(
        canonical_json.dumps(manifest) == subject.text(manifests.MANIFEST),
        f"{where(manifests.MANIFEST)}: found other bytes than the one JSON writer gives; {RESTORE}",
    )
    for name in subject.links:
        tally.fault(f"{where(name)}: found a link or an empty folder, expected files; {RESTORE}")
    for name, digest in sorted(listed.items()):
        if name not in subject.content:
            tally.fault(f"{where(name)}: not found, expected it as the manifest says; {RESTORE}")
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
        tally.fault(f"{where(name)}: found in {side} alone, expected it in both; {RESTORE}")
    tally.require(
        subject.content.get(manifests.SUMS) == manifests.sums(manifest).encode(),
        f"{where(manifests.SUMS)}: found other lines than those that follow from the manifest;"
        f" {RESTORE}",
    )
    for name in sorted(set(subject.content) - {*listed, manifests.MANIFEST, manifests.SUMS}):
        if files.TEMPORARY.fullmatch(PurePosixPath(name).name):
            why = f"found what a killed run left, expected nothing; {manifests.MEND}"
        else:
            why = "found a file that the manifest does not list, expected only what a run publishes"
            why += "; delete it"
        tally.fault(f"{where(name)}: {why}")


@check("copies", "published scripts, kernels and model against the repository's", "files", FOLDER)
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


@check("devices", "kept device reports against schema and themselves", "reports", FOLDER)
def check_devices(subject: Subject, tally: Tally) -> None:
    """Hold device reports that were archived against their schema, themselves and the kernels."""
    kernels = {path.name: path for path in kernel_files(subject.root)}
    for name in sorted(subject.content):
        if not name.startswith(f"{manifests.DEVICES}/"):
            continue
        from fusedfacts.device import consistent  # which few audits need

        where = subject.where(name)
        try:
            document = canonical_json.loads(subject.text(name), where)
            schema.validate(document, "device", where, "delete it, or copy it again")
            consistent.check(document, where)
        except FactsError as error:
            tally.fault(str(error))
            continue
        used = document["kernels"]
        other = [
            kernel
            for kernel in sorted(kernels.keys() & used.keys())
            if used[kernel] != files.sha256(files.read_bytes(kernels[kernel], RESTORE))
        ]
        tally.require(
            not other,
            f"{where}: was made with another kernels/{'/'.join(other[:1])} than the repository's;"
            " make it again with `snakemake --cores 1 device`, or delete it",
        )
