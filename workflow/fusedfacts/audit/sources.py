"""What the published files came from: hashes of model, kernels, library, config and lock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fusedfacts.audit.rules import FACTS, FOLDER, Tally, check
from fusedfacts.audit.subject import Subject
from fusedfacts.documents import canonical_json, files
from fusedfacts.kernels import manifest as kernels
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import crate as crates
from fusedfacts.publishing import manifest as manifests

BINARY = ".safetensors"  # as .gitattributes says; all other sources are text
PUBLISH_AGAIN = "restore it with `git checkout`, or publish what changed with `make facts`"


def _digest(path: Path) -> str:
    return files.sha256(files.read_bytes(path, PUBLISH_AGAIN))


def _declared(subject: Subject) -> Iterator[tuple[str, str, str, str]]:
    """Name each part of the model, its path in the config, the hash found and the one declared."""
    for part in settings.input_parts(subject.config):
        path = subject.config[part]
        yield part, path, _digest(subject.model[path]), subject.config[f"{part}_sha256"]


def departed(subject: Subject) -> set[str]:
    """List model files that are not those whose hashes the config declares, by path there."""
    return {path for _, path, found, expected in _declared(subject) if found != expected}


def byte_code(root: Path) -> list[Path]:
    """List what Python compiled of the workflow's files."""
    return sorted((root / manifests.WORKFLOW).rglob("*.pyc"))


def _is_unbound(path: Path) -> bool:
    """Tell whether byte code is loaded whatever its source says (PEP 552): such can travel."""
    with path.open("rb") as file:
        return file.read(8)[4:] != bytes(4)


@check("sources", "model, kernels, library, config and lock against the manifest", "files", FOLDER)
def check_sources(subject: Subject, tally: Tally) -> None:
    """Require that manifest and tree list the same inputs, with the same hashes and settings."""
    listed, tree = subject.manifest["inputs"], subject.inputs
    gone = departed(subject)
    for name in sorted(listed.keys() | tree.keys()):
        if name not in tree:
            tally.fault(f"{name}: not found, expected it as the manifest says; {PUBLISH_AGAIN}")
        elif name not in listed:
            tally.fault(f"{name}: found a source that the manifest does not list; {PUBLISH_AGAIN}")
        else:
            data = files.read_bytes(tree[name], PUBLISH_AGAIN)
            if b"\r\n" in data and Path(name).suffix != BINARY:
                tally.faults.append(
                    f"{name}: found CRLF line ends, expected LF; run `git config core.autocrlf"
                    f" false && git checkout {name}`"
                )
            found = files.sha256(data)
            # A model file that departs from the config is named by `model`, with its remedy.
            tally.require(
                found == listed[name] or name in gone,
                f"{name}: sha256 found {found}, expected {listed[name]} as the manifest says: it"
                f" changed since the facts were published; {PUBLISH_AGAIN}",
            )
    for path in filter(_is_unbound, byte_code(subject.root)):
        tally.faults.append(
            f"{path}: found byte code that is bound to no time of its source, expected what"
            " Python itself writes; delete it"
        )
    used, wanted = subject.manifest["config"], manifests.effective(subject.config)
    wanted = dict.fromkeys(used) | wanted
    tally.require_entries(used, wanted, f"{manifests.MANIFEST}: config.")


@check("model", "model files against the config's hashes", "files")
def check_model(subject: Subject, tally: Tally) -> None:
    """Compare the hashes of the model's files with those that the config declares."""
    for part, path, found, expected in _declared(subject):
        tally.require(
            found == expected,
            f"{path}: sha256 found {found}, expected {expected} as {part}_sha256 in config.yaml"
            f" says; {settings.mend_file(path)}, or put the new hash there",
        )


@check("kernels", "kernel files against the facts' hashes", "files", FACTS)
def check_kernels(subject: Subject, tally: Tally) -> None:
    """Compare the hashes of the kernels with those that the facts name."""
    folder = subject.root / "kernels"
    section: dict[str, Any] = subject.facts["kernels"]
    found = _digest(folder / kernels.MANIFEST)
    tally.require_equal(section["manifest_sha256"], found, "kernels.manifest_sha256")
    manifest = kernels.manifest(folder)["kernels"]
    names = sorted(kernel["name"] for kernel in section["kernels"])
    tally.require_equal(names, sorted(manifest), "kernels: names")
    for kernel in section["kernels"]:
        name = manifest[kernel["name"]]["file"]
        where = f"kernels/{name}: sha256 in the facts"
        tally.require_equal(kernel["sha256"], _digest(folder / name), where)


@check("crate", "the RO-Crate against the manifest", "files", FOLDER)
def check_crate(subject: Subject, tally: Tally) -> None:
    """Compare the RO-Crate with the manifest's hash of it, and with one rendered again."""
    if subject.crate is None:
        return
    manifest = subject.manifest
    found = files.sha256(subject.crate) if subject.crate else None
    tally.require_equal(found, manifest.get("crate"), f"{manifests.CRATE}: sha256")
    if not tally.faults:
        published = {name: subject.content[name] for name in manifests.built_by_run(manifest)}
        made = canonical_json.dumps(crates.render(subject.root, published, subject.inputs))
        if subject.crate != made.encode():
            tally.faults.append(
                f"{manifests.CRATE}: found another description than that of the published files;"
                f" {PUBLISH_AGAIN}"
            )
