"""facts.json itself: strict, canonical, of its schema, and every claim made of its own sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.claims import sources as prose
from fusedfacts.documents import canonical_json
from fusedfacts.documents.schema import closed as closed_schema
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests

MEND = "correct what it was built from and run `make facts`"


def _objects(node: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object that a schema describes, with its place."""
    if isinstance(node, dict):
        if "properties" in node and isinstance(node.get("type"), str):
            yield path, node
        for key, below in node.items():
            yield from _objects(below, f"{path}.{key}")
    elif isinstance(node, list):
        for i, below in enumerate(node):
            yield from _objects(below, f"{path}[{i}]")


def closed(subject: Subject, tally: Tally) -> None:
    """The schema lets nothing through that it does not know, and misses nothing that it knows."""
    name = "workflow/schemas/facts.schema.json"
    document = closed_schema(canonical_json.read(subject.root / name))
    for path, node in _objects(document, "$"):
        tally.equal(node.get("additionalProperties"), False, f"{name}: {path}.additionalProperties")
        required = sorted(node.get("required", ()))
        tally.equal(required, sorted(node["properties"]), f"{name}: {path}.required")


def schema(subject: Subject, tally: Tally) -> None:
    """The document fits its schema, in the one canonical form, without times."""
    where = subject.where(manifests.FACTS)
    assemble.validate(subject.facts, where)
    tally.checked += 1
    tally.hold(
        canonical_json.dumps(subject.facts) == subject.text(manifests.FACTS),
        f"{where}: found other bytes than the one JSON writer gives for these values, expected"
        f" sorted keys, one space of indent and LF line ends; {MEND}",
    )
    if subject.is_folder:
        tally.hold(
            subject.facts["timings"] is None,
            f"{where}: found timings, expected null in what is published; run without time_kernels",
        )


def ids(subject: Subject, tally: Tally) -> None:
    """No id stands twice."""
    counted = Counter(claim["id"] for claim in subject.facts["claims"])
    for identifier, times in counted.items():
        tally.hold(times == 1, f"claims: the id {identifier} is found {times} times, expected once")


def claims(subject: Subject, tally: Tally) -> None:
    """Each claim is what its section of the document makes: statement, value, unit, formula."""
    published = {claim["id"]: claim for claim in subject.facts["claims"]}
    made = {claim["id"]: claim for claim in assemble.claims(subject.facts)}
    for identifier in sorted(published.keys() | made.keys()):
        if identifier not in published:
            tally.hold(False, f"claims: {identifier} is missing, expected it from its section")
        elif identifier not in made:
            tally.hold(False, f"claims: {identifier} follows from no section of the document")
        else:
            found, expected = published[identifier], made[identifier]
            for key in expected:
                tally.equal(found[key], expected[key], f"claim {identifier}: {key}")
    order = [claim["id"] for claim in subject.facts["claims"]]
    tally.hold(order == sorted(order), "claims: found out of order, expected sorted by id")
    tally.equal(subject.facts["sources"], prose.sources(), "sources")
    tally.equal(subject.facts["left_out"], prose.left_out(), "left_out")


def chosen(subject: Subject, tally: Tally) -> None:
    """Settings and inputs are the config's."""
    for key, value in settings.settings(subject.config).items():
        tally.equal(subject.facts["settings"].get(key), value, f"settings.{key}")
    for part, entry in subject.facts["inputs"].items():
        path = settings.shown_path(subject.config[part])
        tally.equal(entry["path"], path, f"inputs.{part}.path")
        tally.equal(entry["sha256"], subject.config[f"{part}_sha256"], f"inputs.{part}.sha256")
