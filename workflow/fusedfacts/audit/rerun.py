"""Recompute one claim: the pipeline is asked for the claim's section alone, from nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fusedfacts.audit import build
from fusedfacts.audit.build import Progress
from fusedfacts.audit.differences import same, short
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import config as settings

# Both are chosen, not computed.
CHOSEN = "settings"
SWEEP = "traffic"


@dataclass(frozen=True)
class Rerun:
    """A claim made afresh, and where it differs from the published one.

    Attributes
    ----------
    claim : dict
    faults : list of str
        Empty where the published claim holds.
    """

    claim: dict[str, Any]
    faults: list[str]


def smallest_size(document: dict[str, Any], identifier: str) -> dict[str, Any]:
    """The size of the sweep that is enough to make a claim."""
    for size in sorted(document[SWEEP], key=lambda size: size["n"] ** 2 * size["d"]):
        if any(claim["id"] == identifier for claim in assemble.claims_of(SWEEP, [size])):
            found: dict[str, Any] = size
            return found
    raise FactsError(f"claim: {identifier} is of no single size of the sweep, expected one")


def _section(
    root: Path,
    section: str,
    document: dict[str, Any],
    identifier: str,
    config: dict[str, Any],
    cores: int,
    configs: Sequence[Path],
    progress: Progress,
) -> Any:
    """The section computed afresh; of the sweep only the size that is needed."""
    with ExitStack() as stack:
        target = f"results/{section}.json"
        if section == SWEEP:
            size = smallest_size(document, identifier)
            n, d = size["n"], size["d"]
            narrowed = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "one.json"
            files.write_json(narrowed, {"n_values": [n], "head_dims": [d], "film": False})
            configs = [*configs, narrowed]
            target = f"results/sweep/d{d}-n{n}.json"
        built = build.built(root, [target], cores, configs, config, progress)
        results = stack.enter_context(built)
        return canonical_json.read(results.parent / target)


def rerun(
    root: Path,
    document: dict[str, Any],
    published: dict[str, Any],
    config: dict[str, Any],
    cores: int,
    configs: Sequence[Path] = (),
    progress: Progress = lambda done, steps: None,
) -> Rerun:
    """Make one claim afresh and hold the published one against it.

    Parameters
    ----------
    root : Path
        The repository.
    document, published : dict
        facts.json and the claim of it.
    config : dict
        The checked config.
    cores : int
        Jobs at a time.
    configs : sequence of Path
        Files that override config.yaml.
    progress : callable
        Told of finished and all steps.

    Raises
    ------
    ClaimError
        If the build stops.
    FactsError
        If the claim follows from no section, or from none any more.
    """
    identifier = published["id"]
    section = assemble.section_of(document, identifier)
    if section == CHOSEN:
        fresh: Any = settings.settings(config)
    else:
        fresh = _section(root, section, document, identifier, config, cores, configs, progress)
    made = {claim["id"]: claim for claim in assemble.claims_of(section, fresh)}
    if identifier not in made:
        raise FactsError(
            f"claim: {identifier} is not made by a fresh run, expected it from {section}; rebuild"
            " the facts with `make facts`"
        )
    claim = made[identifier]
    return Rerun(claim, differing(document, published, claim, config))


def differing(
    document: dict[str, Any],
    published: dict[str, Any],
    claim: dict[str, Any],
    config: dict[str, Any],
) -> list[str]:
    """Where a published claim differs from a fresh one, and its inputs from the config's."""
    found = []
    for key in sorted(claim):
        kind = claim["class"] if key == "value" else "exact"
        if not same(kind, published[key], claim[key]):
            found.append(f"{key}: published {short(published[key])}, computed {short(claim[key])}")
    for path in claim["inputs"]:
        section, _, key = path.partition(".")
        if section == "inputs":
            expected = config[f"{key}_sha256"]
            if document[section][key]["sha256"] != expected:
                found.append(f"{path}: published another hash than the config's, {expected}")
        elif section == CHOSEN and document[section][key] != config[key]:
            found.append(
                f"{path}: published {short(document[section][key])}, the config has"
                f" {short(config[key])}"
            )
    return found
