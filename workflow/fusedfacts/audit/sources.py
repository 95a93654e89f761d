"""What the published files came from: hashes of model, kernels, library, config and lock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.documents import files
from fusedfacts.kernels import manifest as kernels
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as publish

BINARY = ".safetensors"  # as .gitattributes says; all other sources are text
RESTORE = "restore it with `git checkout model`, or put the new hash into the config"
PUBLISH_AGAIN = "restore it with `git checkout`, or publish what changed with `make facts`"


def model_paths(subject: Subject) -> dict[str, str]:
    """Where the model's files lie, by their path in the config."""
    parts = [subject.config[part] for part in settings.MODEL_PARTS]
    return {path: settings.model_file(path, subject.root) for path in parts}


def _digest(path: Path) -> str:
    return files.sha256(files.read_bytes(path, PUBLISH_AGAIN))


def departed(subject: Subject) -> set[str]:
    """Model files that are not those whose hashes the config declares, by their path there."""
    return {
        subject.config[part]
        for part in settings.MODEL_PARTS
        if _digest(Path(settings.model_file(subject.config[part], subject.root)))
        != subject.config[f"{part}_sha256"]
    }


def byte_code(root: Path) -> list[Path]:
    """What Python compiled of the workflow's files."""
    return sorted((root / publish.WORKFLOW).rglob("*.pyc"))


def unbound(path: Path) -> bool:
    """Whether byte code is loaded whatever its source says (PEP 552): only such can travel."""
    with path.open("rb") as file:
        return file.read(8)[4:] != bytes(4)


def inputs(subject: Subject, tally: Tally) -> None:
    """Every input of the manifest is the tree's, and every input of the tree is in the manifest."""
    manifest = publish.parse(subject.text(publish.MANIFEST), subject.where(publish.MANIFEST))
    listed = manifest["inputs"]
    tree = publish.inputs(subject.root, model_paths(subject))
    gone = departed(subject)
    for name in sorted(listed.keys() | tree.keys()):
        if name not in tree:
            tally.hold(
                False, f"{name}: not found, expected it as the manifest says; {PUBLISH_AGAIN}"
            )
        elif name not in listed:
            tally.hold(
                False,
                f"{name}: found a source that the manifest does not list; {PUBLISH_AGAIN}",
            )
        else:
            data = files.read_bytes(tree[name], PUBLISH_AGAIN)
            if b"\r\n" in data and Path(name).suffix != BINARY:
                tally.faults.append(
                    f"{name}: found CRLF line ends, expected LF; run `git config core.autocrlf"
                    f" false && git checkout {name}`"
                )
            found = files.sha256(data)
            # A model file that departs from the config is told by `model`, with what mends it.
            tally.hold(
                found == listed[name] or name in gone,
                f"{name}: sha256 found {found}, expected {listed[name]} as the manifest says: it"
                f" changed since the facts were published; {PUBLISH_AGAIN}",
            )
    for path in byte_code(subject.root):
        if unbound(path):
            tally.faults.append(
                f"{path}: found byte code that is bound to no time of its source, expected what"
                " Python itself writes; delete it"
            )
    wanted = publish.effective(subject.config)
    for key in sorted(manifest["config"].keys() | wanted.keys()):
        tally.equal(
            manifest["config"].get(key), wanted.get(key), f"{publish.MANIFEST}: config.{key}"
        )


def model(subject: Subject, tally: Tally) -> None:
    """The model's files have the hashes that the config declares."""
    for part in settings.MODEL_PARTS:
        path = settings.model_file(subject.config[part], subject.root)
        found, expected = _digest(Path(path)), subject.config[f"{part}_sha256"]
        tally.hold(
            found == expected,
            f"{subject.config[part]}: sha256 found {found}, expected {expected} as {part}_sha256 in"
            f" config.yaml says; {RESTORE}",
        )


def kernel_text(subject: Subject, tally: Tally) -> None:
    """The kernels are those whose hashes the facts name."""
    folder = subject.root / "kernels"
    section: dict[str, Any] = subject.facts["kernels"]
    found = _digest(folder / kernels.MANIFEST)
    tally.equal(section["manifest_sha256"], found, "kernels.manifest_sha256")
    manifest = kernels.manifest(folder)["kernels"]
    tally.equal(sorted(k["name"] for k in section["kernels"]), sorted(manifest), "kernels: names")
    for kernel in section["kernels"]:
        name = manifest[kernel["name"]]["file"]
        tally.equal(
            kernel["sha256"], _digest(folder / name), f"kernels/{name}: sha256 in the facts"
        )


def crate(subject: Subject, tally: Tally) -> None:
    """The RO-Crate at the repository's root is the one that the manifest names."""
    manifest = publish.parse(subject.text(publish.MANIFEST), subject.where(publish.MANIFEST))
    if subject.crate is None:
        return
    found = files.sha256(subject.crate) if subject.crate else None
    tally.equal(found, manifest.get("crate"), f"{publish.CRATE}: sha256")
