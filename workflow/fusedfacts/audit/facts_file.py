"""facts.json itself: canonical and of its schema; claims of its sections; counts of the formula."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from fusedfacts.attention import problem, traffic
from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.claims import sources
from fusedfacts.documents import canonical_json
from fusedfacts.documents.schema import closed
from fusedfacts.experiments import facts as assemble
from fusedfacts.numerics.rounding import decimals
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests

CORRECT = "correct what it was built from and run `make facts`"


def _objects(node: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Walk over every object that a schema describes, with its path."""
    if isinstance(node, dict):
        if "properties" in node and isinstance(node.get("type"), str):
            yield path, node
        for key, below in node.items():
            yield from _objects(below, f"{path}.{key}")
    elif isinstance(node, list):
        for i, below in enumerate(node):
            yield from _objects(below, f"{path}[{i}]")


def check_closed(subject: Subject, tally: Tally) -> None:
    """Require that the schema knows everything that it lets through, and misses nothing."""
    name = "workflow/schemas/facts.schema.json"
    for path, node in _objects(closed(canonical_json.read(subject.root / name)), "$"):
        where = f"{name}: {path}"
        tally.require_equal(
            node.get("additionalProperties"), False, f"{where}.additionalProperties"
        )
        required = sorted(node.get("required", ()))
        tally.require_equal(required, sorted(node["properties"]), f"{where}.required")


def check_schema(subject: Subject, tally: Tally) -> None:
    """Require a document of its schema, in the one canonical form, without times."""
    where = subject.where(manifests.FACTS)
    assemble.validate(subject.facts, where)
    tally.checked += 1
    tally.require(
        canonical_json.dumps(subject.facts) == subject.text(manifests.FACTS),
        f"{where}: found other bytes than the one JSON writer gives for these values, expected"
        f" sorted keys, one space of indent and LF line ends; {CORRECT}",
    )
    if subject.is_folder:
        tally.require(
            subject.facts["timings"] is None,
            f"{where}: found timings, expected null in what is published; run without time_kernels",
        )


def check_ids(subject: Subject, tally: Tally) -> None:
    """Require that no id stands twice."""
    for name, times in Counter(claim["id"] for claim in subject.facts["claims"]).items():
        tally.require(times == 1, f"claims: the id {name} is found {times} times, expected once")


def check_claims(subject: Subject, tally: Tally) -> None:
    """Make each claim of its section again, and the words that travel with all of them."""
    published = {claim["id"]: claim for claim in subject.facts["claims"]}
    made = {claim["id"]: claim for claim in assemble.claims(subject.facts)}
    for name in sorted(published.keys() | made.keys()):
        if name not in published:
            tally.require(False, f"claims: {name} is missing, expected it from its section")
        elif name not in made:
            tally.require(False, f"claims: {name} follows from no section of the document")
        else:
            for key, expected in made[name].items():
                tally.require_equal(published[name][key], expected, f"claim {name}: {key}")
    order = [claim["id"] for claim in subject.facts["claims"]]
    tally.require(order == sorted(order), "claims: found out of order, expected sorted by id")
    tally.require_equal(subject.facts["sources"], sources.SOURCES, "sources")
    tally.require_equal(subject.facts["left_out"], sources.LEFT_OUT, "left_out")


def check_settings(subject: Subject, tally: Tally) -> None:
    """Compare settings and inputs with the config's."""
    config, facts = subject.config, subject.facts
    tally.require_entries(facts["settings"], settings.settings(config), "settings.")
    for part, entry in facts["inputs"].items():
        expected = {"path": settings.shown_path(config[part]), "sha256": config[f"{part}_sha256"]}
        tally.require_entries(entry, expected, f"inputs.{part}.")


def check_counts(subject: Subject, tally: Tally) -> None:
    """Compare every count with the closed formula: each size that is asked for, and by hand."""
    facts = subject.facts
    chosen = facts["settings"]
    wanted = sorted((d, n) for d in chosen["head_dims"] for n in chosen["n_values"])
    found = [(entry["d"], entry["n"]) for entry in facts["traffic"]]
    tally.require_equal(found, wanted, "traffic: (d, n)")
    for entry in facts["traffic"]:
        _check_size(entry, tally)
    _check_worked(facts["worked"], tally)


def _check_size(entry: dict[str, Any], tally: Tally) -> None:
    """Compare one size of the sweep: elements, bytes, operations, tiles, ratio."""
    n, d = entry["n"], entry["d"]
    where = f"traffic, n {n}, d {d}"
    for method, moved in traffic.ELEMENTS.items():
        at, found, elements = f"{where}: {method}", entry[method], moved(n, d, False)
        for kernel, buffers in elements.items():
            counted = found["elements"].get(kernel, {})
            tally.require_entries(counted, buffers, f"{at}.elements.{kernel}.")
        tally.require_equal(found["elements"], elements, f"{at}.elements")
        tally.require_equal(found["bytes"], traffic.total_bytes(elements), f"{at}.bytes")
        operations = traffic.ARITHMETIC[method](n, d, False)
        tally.require_entries(found["operations"], operations, f"{at}.operations.")
    ratio = Fraction(*(traffic.total_bytes(f(n, d)) for f in (traffic.unfused, traffic.fused)))
    expected = {
        "query_rows": problem.query_rows(d),
        "key_rows": problem.fused_key_rows(d),
        "compulsory_bytes": traffic.compulsory_bytes(n, d),
        "table_bytes": traffic.table_bytes(n),
        "ratio": decimals(ratio),
    }
    tally.require_entries(entry, expected, f"{where}: ")


def _check_worked(case: dict[str, Any], tally: Tally) -> None:
    """Compare the case worked by hand."""
    n, d = case["n"], case["d"]
    fused = traffic.fused(n, d)
    moved = {buffer: sum(accesses.values()) for buffer, accesses in fused["fused"].items()}
    tally.require_entries(case["elements"], moved, "worked.elements.")
    expected = {
        "fused_bytes": traffic.total_bytes(fused),
        "unfused_bytes": traffic.total_bytes(traffic.unfused(n, d)),
        "table_elements": n * n,
        "query_rows": problem.query_rows(d),
    }
    tally.require_entries(case, expected, "worked.")
