"""One claim: found by its id, followed to its code and inputs, and computed again alone."""

from __future__ import annotations

import ast
import difflib
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fusedfacts.audit import build
from fusedfacts.audit.build import Progress
from fusedfacts.audit.leaves import same
from fusedfacts.audit.rules import short
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import FactsError
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import closure
from fusedfacts.pipeline import config as settings

NEAR = 3  # ids that a message suggests
CHOSEN = "settings"  # chosen, not computed
SWEEP = "traffic"


def read_facts(path: Path) -> dict[str, Any]:
    """Read a facts.json that fits its schema."""
    document: dict[str, Any] = canonical_json.read(path)
    hint = "name another file, or rebuild it with `make facts`"
    schema.validate(document, "facts", str(path), hint)
    return document


def find(document: dict[str, Any], identifier: str) -> dict[str, Any]:
    """Find the claim of that id, or name ids that are near."""
    claims: dict[str, dict[str, Any]] = {claim["id"]: claim for claim in document["claims"]}
    if identifier in claims:
        return claims[identifier]
    near = difflib.get_close_matches(identifier, claims, NEAR, cutoff=0.5)
    hint = f", for instance {' or '.join(near)}" if near else ""
    raise FactsError(
        f"claim: found no id {identifier!r}, expected one of the {len(claims)}{hint}; list"
        " them with `fusedfacts claims`"
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
    found: dict[str, Any] = {}
    for path in claim["inputs"]:
        value: Any = document
        for step in path.split("."):
            value = value[step]
        found[path] = value
    return found


def code(root: Path, computed_by: str) -> dict[str, str]:
    """Hash every file that the function's module reaches, by path from the repository."""
    return {
        Path(path).relative_to(root).as_posix(): files.sha256(Path(path).read_bytes())
        for path in closure.closure(computed_by.rpartition(".")[0])
    }


@dataclass(frozen=True)
class Rerun:
    """A claim made afresh, and where it differs from the published one: nowhere if it holds."""

    claim: dict[str, Any]
    faults: list[str]


def smallest_size(document: dict[str, Any], identifier: str) -> dict[str, Any]:
    """Find the size of the sweep that is enough to make a claim."""
    found: dict[str, Any]
    for found in sorted(document[SWEEP], key=lambda size: size["n"] ** 2 * size["d"]):
        if any(claim["id"] == identifier for claim in assemble.claims_of(SWEEP, [found])):
            return found
    raise FactsError(f"claim: {identifier} is of no single size of the sweep, expected one")


def _computed(
    root: Path,
    section: str,
    size: dict[str, Any] | None,
    config: dict[str, Any],
    cores: int,
    configs: Sequence[Path],
    progress: Progress,
) -> Any:
    """Compute a section afresh; of the sweep only the size that is needed."""
    with ExitStack() as stack:
        target = f"results/{section}.json"
        if size:
            n, d = size["n"], size["d"]
            narrowed = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "one.json"
            files.write_json(narrowed, {"n_values": [n], "head_dims": [d], "film": False})
            configs = [*configs, narrowed]
            target = f"results/sweep/d{d}-n{n}.json"
        built = build.built(root, target, config, cores, configs, progress)
        return canonical_json.read(stack.enter_context(built).parent / target)


def rerun(
    root: Path,
    document: dict[str, Any],
    published: dict[str, Any],
    config: dict[str, Any],
    cores: int,
    configs: Sequence[Path] = (),
    progress: Progress = build.no_progress,
) -> Rerun:
    """Make one claim of a facts.json afresh and hold the published one against it."""
    identifier = published["id"]
    section, _ = assemble.find(document, identifier)
    if section == CHOSEN:
        fresh: Any = settings.settings(config)
    else:
        size = smallest_size(document, identifier) if section == SWEEP else None
        fresh = _computed(root, section, size, config, cores, configs, progress)
    made = {claim["id"]: claim for claim in assemble.claims_of(section, fresh)}
    if identifier not in made:
        raise FactsError(
            f"claim: {identifier} is not made by a fresh run, expected it from {section}; rebuild"
            " the facts with `make facts`"
        )
    return Rerun(made[identifier], differing(document, published, made[identifier], config))


def differing(
    document: dict[str, Any],
    published: dict[str, Any],
    claim: dict[str, Any],
    config: dict[str, Any],
) -> list[str]:
    """Say where a published claim differs from a fresh one, and its inputs from the config's."""
    found = []
    for key in sorted(claim):
        kind = claim["class"] if key == "value" else "exact"
        if not same(kind, published[key], claim[key]):
            found.append(f"{key}: published {short(published[key])}, computed {short(claim[key])}")
    for path in claim["inputs"]:
        section, _, key = path.partition(".")
        expected = config.get(f"{key}_sha256")
        if section == "inputs" and document[section][key]["sha256"] != expected:
            found.append(f"{path}: published another hash than the config's, {expected}")
        elif section == CHOSEN and document[section][key] != config[key]:
            values = short(document[section][key]), short(config[key])
            found.append(f"{path}: published {values[0]}, the config has {values[1]}")
    return found
