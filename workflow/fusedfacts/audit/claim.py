"""One claim: found by its id, followed to its code and inputs, and computed again alone."""

from __future__ import annotations

import ast
import dataclasses
import tempfile
from contextlib import ExitStack
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from fusedfacts.audit.build import Builder
from fusedfacts.audit.rules import identical, short
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError, guessed
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import closure
from fusedfacts.pipeline import config as settings

CHOSEN = "settings"  # chosen, not computed
SWEEP, HEADS = "traffic", "heads"


def find(document: dict[str, Any], identifier: str) -> dict[str, Any]:
    """Find the claim of that id, or name ids that are near."""
    claims: dict[str, dict[str, Any]] = {claim["id"]: claim for claim in document["claims"]}
    if identifier in claims:
        return claims[identifier]
    raise FactsError(
        f"claim: found no id {identifier!r}{guessed(identifier, claims)}, expected one of the"
        f" {len(claims)}; list them with `fusedfacts claims`"
    )


def locate(computed_by: str) -> tuple[Path, int]:
    """Find the file and the line of a function by its dotted name; nothing is imported.

    >>> path, line = locate("fusedfacts.experiments.sweep.size_results")
    >>> path.name, path.read_text().splitlines()[line - 1][:17]
    ('sweep.py', 'def size_results(')
    """
    module, _, function = computed_by.rpartition(".")
    path = closure.LIBRARY.parent.joinpath(*module.split(".")).with_suffix(".py")
    if path.is_file():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                return path, node.lineno
    raise FactsError(
        f"{computed_by}: found no such function in the library, expected one; the facts are of"
        " another version: rebuild them with `make facts`"
    )


def inputs(document: dict[str, Any], claim: dict[str, Any]) -> dict[str, Any]:
    """Look up what the claim names as its inputs, by path within facts.json."""
    return {path: reduce(getitem, path.split("."), document) for path in claim["inputs"]}


def name_of(path: Path) -> str:
    """Name a file of the library as the repository does, wherever it is installed."""
    return Path("workflow", path.relative_to(closure.LIBRARY.parent)).as_posix()


def code(computed_by: str) -> dict[str, str]:
    """Hash every file that the function's module reaches, by path from the repository."""
    return {
        name_of(Path(path)): files.sha256(Path(path).read_bytes())
        for path in closure.closure(computed_by.rpartition(".")[0])
    }


def smallest_size(document: dict[str, Any], identifier: str) -> dict[str, Any]:
    """Find the size of the sweep that is enough to make a claim."""
    sizes = sorted(document[SWEEP], key=lambda size: size["n"] ** 2 * size["d"])
    made = ({claim["id"] for claim in assemble.claims_of(SWEEP, [size])} for size in sizes)
    found: dict[str, Any] = next(s for s, ids in zip(sizes, made, strict=True) if identifier in ids)
    return found


def _computed(section: str, size: dict[str, Any] | None, builder: Builder) -> Any:
    """Compute a section afresh; of the sweep only the size that is needed."""
    with ExitStack() as stack:
        target = f"results/{section}.json"
        if size:
            n, d = size["n"], size["d"]
            narrowed = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "one.json"
            files.write_json(narrowed, {"n_values": [n], "head_dims": [d], "film": False})
            builder = dataclasses.replace(builder, configs=[*builder.configs, narrowed])
            target = f"results/sweep/d{d}-n{n}.json"
        return canonical_json.read(stack.enter_context(builder.built(target)).parent / target)


def rerun(
    document: dict[str, Any], published: dict[str, Any], builder: Builder
) -> tuple[dict[str, Any], list[str]]:
    """Make one claim of a facts.json afresh: it, and where the published one differs."""
    identifier = published["id"]
    section, _ = assemble.find(document, identifier)
    if section == HEADS and not builder.config[HEADS]:
        raise FactsError(
            f"claim: {identifier} follows from heads, but the config names none, expected the one"
            " that the facts were built with; give it by --configfile"
        )
    if section == CHOSEN:
        fresh: Any = settings.settings(builder.config)
    else:
        size = smallest_size(document, identifier) if section == SWEEP else None
        fresh = _computed(section, size, builder)
    made = {claim["id"]: claim for claim in assemble.claims_of(section, fresh)}
    if identifier not in made:
        raise FactsError(
            f"claim: {identifier} is not made by a fresh run, expected it from {section}; rebuild"
            " the facts with `make facts`"
        )
    again = made[identifier]
    return again, differing(document, published, again, builder.config)


def differing(
    document: dict[str, Any],
    published: dict[str, Any],
    claim: dict[str, Any],
    config: dict[str, Any],
) -> list[str]:
    """Say where a published claim differs from a fresh one, and its inputs from the config's."""
    found = []
    for key in sorted(claim):
        if not identical(published[key], claim[key]):
            found.append(f"{key}: published {short(published[key])}, computed {short(claim[key])}")
    for path, value in inputs(document, claim).items():
        section, _, key = path.partition(".")
        if path == "heads.file":
            section, key = "inputs", HEADS
        if section == "inputs" and value["sha256"] != config[f"{key}_sha256"]:
            expected = config[f"{key}_sha256"]
            found.append(f"{path}: published another hash than the config's, {expected}")
        elif path == "heads.causal" and value != config["heads_causal"]:
            found.append(f"{path}: published {short(value)}, the config has another")
        elif section == CHOSEN and value != config[key]:
            found.append(f"{path}: published {short(value)}, the config has {short(config[key])}")
    return found
