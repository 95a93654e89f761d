"""facts.json itself: canonical and of its schema; claims of its sections; counts of the formula."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from fusedfacts.attention import problem, traffic
from fusedfacts.audit import heads, judged
from fusedfacts.audit.leaves import objects
from fusedfacts.audit.rules import FACTS, Tally, check
from fusedfacts.audit.subject import Subject
from fusedfacts.claims import sources
from fusedfacts.claims.claim import OPERATIONS
from fusedfacts.documents import canonical_json
from fusedfacts.documents.schema import closed
from fusedfacts.experiments import facts as assemble
from fusedfacts.numerics.rounding import decimals
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests

CORRECT = "correct what it was built from and run `make facts`"


@check("closed", "the schema itself: every property listed, and required", "properties")
def check_closed(subject: Subject, tally: Tally) -> None:
    """Require that the schema knows everything that it lets through, and misses nothing."""
    name = "workflow/schemas/facts.schema.json"
    for path, node in objects(closed(canonical_json.read(subject.root / name)), "$"):
        if isinstance(node.get("type"), str) and "properties" in node:
            more, required = node["additionalProperties"], sorted(node["required"])
            tally.require_equal(more, False, f"{name}: {path}.additionalProperties")
            tally.require_equal(required, sorted(node["properties"]), f"{name}: {path}.required")


@check("schema", "facts.json against its schema, strict and in canonical bytes", "documents")
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


@check("ids", "each claim's id, once", "claims", FACTS)
def check_ids(subject: Subject, tally: Tally) -> None:
    """Require that no id stands twice."""
    for name, times in Counter(claim["id"] for claim in subject.facts["claims"]).items():
        tally.require(times == 1, f"claims: the id {name} is found {times} times, expected once")


@check("claims", "each claim against its section", "properties", FACTS)
def check_claims(subject: Subject, tally: Tally) -> None:
    """Make each claim of its section again, and the words that travel with all of them."""
    published = {claim["id"]: claim for claim in subject.facts["claims"]}
    made = {claim["id"]: claim for claim in assemble.claims(subject.facts)}
    for name in sorted(published.keys() | made.keys()):
        if name not in published:
            tally.fault(f"claims: {name} is missing, expected it from its section")
        elif name not in made:
            tally.fault(f"claims: {name} follows from no section of the document")
        else:
            for key, expected in made[name].items():
                tally.require_equal(published[name][key], expected, f"claim {name}: {key}")
    order = [claim["id"] for claim in subject.facts["claims"]]
    tally.require(order == sorted(order), "claims: found out of order, expected sorted by id")
    tally.require_equal(subject.facts["sources"], sources.SOURCES, "sources")
    tally.require_equal(subject.facts["left_out"], sources.LEFT_OUT, "left_out")


@check("settings", "settings and inputs against the config", "values", FACTS)
def check_settings(subject: Subject, tally: Tally) -> None:
    """Compare settings and inputs with the config's."""
    config, facts = subject.config, subject.facts
    tally.require_entries(facts["settings"], settings.settings(config), "settings.")
    has, wants = "heads" in facts, bool(config["heads"])
    tally.require(
        has == wants,
        f"heads: found {'a' if has else 'no'} section of them in the facts, expected"
        f" {'one' if wants else 'none'} as the config says; give the config that the facts were"
        " built with by --configfile",
    )
    given = {}
    if has and wants:
        given = {"heads": facts["heads"]["file"]}
        heads.check_given(subject, tally)
    judged.check_recorded(subject, tally)
    for part, entry in {**facts["inputs"], **given}.items():
        expected = {"path": settings.shown_path(config[part]), "sha256": config[f"{part}_sha256"]}
        tally.require_entries(entry, expected, f"inputs.{part}.")


@check("counts", "each count against the closed formula", "counts", FACTS)
def check_counts(subject: Subject, tally: Tally) -> None:
    """Compare every count with the closed formula: each size that is asked for, and by hand."""
    chosen, sizes = subject.facts["settings"], subject.facts["traffic"]
    wanted = sorted((d, n) for d in chosen["head_dims"] for n in chosen["n_values"])
    tally.require_equal([(size["d"], size["n"]) for size in sizes], wanted, "traffic: (d, n)")
    for size in sizes:
        _check_size(size, tally)
    _check_worked(subject.facts["worked"], tally)


def _check_size(entry: dict[str, Any], tally: Tally) -> None:
    """Compare one size of the sweep: elements, bytes, operations, tiles, ratio."""
    n, d = entry["n"], entry["d"]
    where = f"traffic, n {n}, d {d}"
    for method in OPERATIONS:
        at, found = f"{where}: {method}", entry[method]
        elements = traffic.ELEMENTS[method](n, d, False)
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
