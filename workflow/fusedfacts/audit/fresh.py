"""The full audit: what was published against a fresh build, class by class and byte by byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fusedfacts.audit import build, rules, sources
from fusedfacts.audit.build import Progress
from fusedfacts.audit.differences import differences, first_difference
from fusedfacts.audit.leaves import Leaf, leaves
from fusedfacts.audit.rules import CANNOT_BE_FOLLOWED, Check, Result, Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import crate as crates
from fusedfacts.publishing import manifest as manifests

ACCEPT = "if the computed values are right, publish them with `make facts` and commit"
BUILD = ("build", "a build from nothing, in a folder of its own", "builds")
CLASSES = {
    "exact": "exact values: equal",
    "bounded": "bounded values: verdict, and equal to the declared rounding",
}
FILES = ("rebuilt", "published files: the same bytes as the fresh ones", "files")


def _parsed(subject: Subject) -> dict[str, Leaf]:
    try:
        return leaves(subject.facts)
    except (FactsError, *CANNOT_BE_FOLLOWED):
        return {}  # what cannot be walked differs in everything


def by_class(subject: Subject, results: Path) -> list[Result]:
    """Values, each compared as its class asks."""
    fresh = leaves(canonical_json.read(results / manifests.FACTS))
    published = _parsed(subject)
    found = []
    for kind, what in CLASSES.items():
        faults = [f"{line}; {ACCEPT}" for line in differences(published, fresh, kind)]
        compared = sum(leaf.kind == kind for leaf in fresh.values())
        found.append(Result.of(kind, what, "values", compared, faults))
    return found


def by_bytes(subject: Subject, results: Path) -> Result:
    """Files, every byte, facts.json too: nothing that is published may differ between machines."""
    manifest = manifests.read(results / manifests.MANIFEST)
    fresh = {name: (results / name).read_bytes() for name in manifest["files"]}
    faults = []
    for name, expected in sorted(fresh.items()):
        published = subject.content.get(name)
        if published is None:
            faults.append(f"{subject.where(name)}: not found, expected it as built; {ACCEPT}")
        elif published != expected:
            texts = [data.decode("utf-8", errors="replace") for data in (published, expected)]
            parted = first_difference(texts[0], texts[1])
            faults.append(f"{subject.where(name)}: {parted}; {ACCEPT}")
    return Result.of(*FILES, len(fresh), faults)


def crate(subject: Subject, tally: Tally) -> None:
    """The RO-Crate, described again from what was published and from the tree."""
    manifest = manifests.parse(subject.text(manifests.MANIFEST), subject.where(manifests.MANIFEST))
    published = {name: subject.content[name] for name in manifests.built_by_run(manifest)}
    inputs = manifests.inputs(subject.root, sources.model_paths(subject))
    made = crates.render(subject.root, published, inputs)
    tally.hold(
        subject.crate == canonical_json.dumps(made).encode(),
        f"{manifests.CRATE}: found another description than that of the published files; {ACCEPT}",
    )


def packages(subject: Subject, tally: Tally) -> None:
    """What a build computes with is what the lock says."""
    from fusedfacts.doctor import packages as installed

    compared = installed.compare(installed.locked(subject.root), installed.installed())
    for finding in compared.findings:
        tally.hold(False, finding.sentence)
    tally.checked += compared.locked


LOCKED = Check(
    "packages",
    "the packages that compute, against the lock",
    "packages",
    packages,
    needs_facts=False,
)
DESCRIBED = Check("described", "the RO-Crate: described again", "files", crate, needs_facts=False)


def compare(subject: Subject, results: Path) -> list[Result]:
    """What was published against the `results` folder of a fresh build.

    Parameters
    ----------
    subject : Subject
    results : Path
        Holds facts.json and, for a whole folder, manifest.json with the files that it lists.
    """
    found = by_class(subject, results)
    if subject.is_folder:
        found.append(by_bytes(subject, results))
    if subject.is_own:
        found.append(rules.run_one(DESCRIBED, subject))
    return found


def audit(
    subject: Subject,
    cores: int,
    configs: Sequence[Path] = (),
    progress: Progress = lambda done, steps: None,
) -> list[Result]:
    """Build everything in a scratch folder and compare; `subject` was read before.

    Parameters
    ----------
    subject : Subject
    cores : int
        Jobs at a time.
    configs : sequence of Path
        Files that override config.yaml.
    progress : callable
        Told of finished and all steps.
    """
    locked = rules.run_one(LOCKED, subject)
    # The build compiles its own: byte code may say anything that its source does not.
    for path in sources.byte_code(subject.root):
        with files.writing(path):
            path.unlink(missing_ok=True)
    target = ["results/manifest.json"] if subject.is_folder else ["results/facts.json"]
    try:
        with build.built(subject.root, target, cores, configs, subject.config, progress) as results:
            return [locked, Result.of(*BUILD, 1, ()), *compare(subject, results)]
    except ClaimError as error:
        why = ("the fresh build stopped",)
        unbuilt = [
            Result(name, what, "values", 0, "not verified", why) for name, what in CLASSES.items()
        ]
        return [locked, Result.of(*BUILD, 1, (str(error),)), *unbuilt]
