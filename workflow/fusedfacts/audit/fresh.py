"""The full audit: what was published against a fresh build, class by class and byte by byte."""

from __future__ import annotations

from pathlib import Path

from fusedfacts.audit import rules, sources
from fusedfacts.audit.build import Builder
from fusedfacts.audit.leaves import Leaf, differences, first_difference, leaves
from fusedfacts.audit.rules import UNFOLLOWABLE, Result, Tally, check
from fusedfacts.audit.subject import Subject
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import manifest as manifests

BUILD = ("build", "a build from nothing, in a folder of its own", "builds")
CLASSES = {
    "exact": "exact values: equal",
    "bounded": "bounded values: verdict, and equal to the declared rounding",
}
FILES = ("rebuilt", "published files: the same bytes as the fresh ones", "files")


def _parsed(subject: Subject) -> dict[str, Leaf]:
    try:
        return leaves(subject.facts)
    except (FactsError, *UNFOLLOWABLE):
        return {}  # what cannot be walked differs in everything


def compare_values(subject: Subject, results: Path) -> list[Result]:
    """Compare values, each as its class asks: of an observed one nothing."""
    computed = leaves(canonical_json.read(results / manifests.FACTS))
    published = _parsed(subject)
    found = []
    for kind, what in CLASSES.items():
        faults = list(differences(published, computed, kind))
        compared = sum(leaf.kind == kind for leaf in computed.values())
        found.append(Result.of(kind, what, "values", compared, faults))
    return found


def compare_files(subject: Subject, results: Path) -> Result:
    """Compare files, every byte: nothing that is published may differ between machines."""
    names = manifests.read(results / manifests.MANIFEST)["files"]
    faults = []
    for name in sorted(names):
        published, computed = subject.content.get(name), (results / name).read_bytes()
        if published is None:
            faults.append(f"{subject.where(name)}: not found, expected it as built")
        elif published != computed:
            parted = first_difference(published, computed)
            faults.append(f"{subject.where(name)}: {parted}")
    return Result.of(*FILES, len(names), faults)


@check("packages", "the packages that compute, against the lock", "packages")
def check_packages(subject: Subject, tally: Tally) -> None:
    """Hold what a build computes with against the lock."""
    from fusedfacts.doctor import packages as installed

    compared = installed.compare(installed.locked(subject.root), installed.installed())
    tally.faults += [finding.sentence for finding in compared.findings]
    tally.checked += compared.locked


def compare(subject: Subject, results: Path) -> list[Result]:
    """Compare what was published with the `results` folder of a fresh build.

    It holds facts.json and, for a whole folder, manifest.json with the files that it lists.
    """
    found = compare_values(subject, results)
    return [*found, compare_files(subject, results)] if subject.is_folder else found


def audit(subject: Subject, builder: Builder, *, red: bool = False) -> list[Result]:
    """Build everything in a scratch folder and compare; `subject` was read before.

    A build that could not be made is no verdict, unless the quick checks had one: `red`.
    """
    packages = rules.run_one(check_packages, subject)
    # The build compiles its own: byte code may say anything that its source does not.
    for path in sources.byte_code(subject.root):
        with files.writing(path):
            path.unlink(missing_ok=True)
    try:
        target = manifests.MANIFEST if subject.is_folder else manifests.FACTS
        with builder.built(f"results/{target}") as results:
            return [packages, Result.of(*BUILD, 1, ()), *compare(subject, results)]
    except FactsError as error:
        if not (red or isinstance(error, ClaimError)):
            raise
        why = ("the fresh build stopped",)
        unbuilt = [Result(*kind, "values", 0, "not verified", why) for kind in CLASSES.items()]
        return [packages, Result.of(*BUILD, 1, (str(error),)), *unbuilt]
