"""ro-crate-metadata.json: the workflow, what it reads, what it publishes, as linked data.

A Workflow RO-Crate 1.0, which builds on RO-Crate 1.1, for registries of workflows. It holds no time
of its own and no machine: the date is that of the release. It follows from the published files and
the repository alone, so the audit renders it again and compares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fusedfacts.documents import canonical_json, files, repository
from fusedfacts.errors import FactsError
from fusedfacts.publishing import crate_entities as entities
from fusedfacts.publishing import manifest as manifests
from fusedfacts.publishing.crate_entities import Entity, refer

RESTORE = "restore it with `git checkout`"
ROOT_ID = "./"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
PROFILE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
# The context of 1.1 is older than the term, which schema.org and later contexts have.
TERMS = {"sha256": "http://schema.org/sha256"}
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
WORKFLOW, LOCK, README, CITATION = "Snakefile", "requirements.txt", "README.md", "CITATION.cff"
# Named without a hash: no result hangs on them, or they are written after the crate.
DOCUMENTS = (README, "CHANGELOG.md", CITATION, "LICENSE")
WRITTEN_AFTER = tuple(f"{repository.FOLDER}/{n}" for n in (manifests.SUMS, manifests.MANIFEST))
STEPS = ("workflow/rules/", "workflow/scripts/")  # what the workflow orchestrates
CODE = ("workflow/", WORKFLOW, LOCK)  # code, and what it runs on; all other inputs are data


def describes(root: Path, folder: Path, inputs: Mapping[str, Path]) -> bool:
    """Tell whether a run is the repository's own, so that its crate may lie at the root.

    It is not where a file of the model comes from elsewhere, or results go elsewhere, as those of
    another sweep do: the crate at the root tells of the folder that the repository publishes, and
    names every file by its path from there.
    """
    here = root.resolve()
    return folder.resolve() == here / repository.FOLDER and all(
        (here / name).resolve() == path.resolve() for name, path in inputs.items()
    )


def render(
    root: Path, published: Mapping[str, bytes], inputs: Mapping[str, Path]
) -> dict[str, Any]:
    """Describe a repository and what it publishes.

    Parameters
    ----------
    root : Path
        The repository.
    published : Mapping[str, bytes]
        What its run built, by name within the published folder: no device report, and nothing
        that is written after the crate.
    inputs : Mapping[str, Path]
        By path from the root, where each file that shaped them lies (see `manifest.inputs`).

    Raises
    ------
    FactsError
        If a file is missing, or CITATION.cff lacks a field.
    """
    try:
        credits, people = entities.credits(_yaml(root / CITATION))
    except KeyError as missing:
        raise FactsError(f"{CITATION}: found no {missing}, expected a value; add it") from None
    results = {f"{repository.FOLDER}/{name}": data for name, data in published.items()}
    content: dict[str, bytes | None] = {
        name: files.read_bytes(path, RESTORE) for name, path in inputs.items()
    }
    content |= {**results, **dict.fromkeys([*DOCUMENTS, *WRITTEN_AFTER])}
    parts = [entities.file(path, data) for path, data in content.items()]
    config = canonical_json.read(root / entities.schema_path("config"))
    parameters = entities.parameters(config, _yaml(root / "config.yaml"), content)
    outputs = [
        entities.output(path, canonical_json.read(root / entities.schema_path(name)))
        for name in ("facts", "film")
        if (path := f"{repository.FOLDER}/{name}.json") in results
    ]
    workflow = {
        **entities.file(WORKFLOW, content[WORKFLOW]),
        **{key: credits[key] for key in ("name", "description", "version", "license", "citation")},
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "dateCreated": credits["datePublished"],
        "creator": credits["author"],
        "sdPublisher": credits["author"],
        "softwareRequirements": {"@id": LOCK},
        "programmingLanguage": {"@id": SNAKEMAKE},
        "hasPart": refer(sorted(path for path in inputs if path.startswith(STEPS))),
        "input": refer(one["@id"] for one in parameters),
        "output": refer(one["@id"] for one in outputs),
    }
    run = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"The run whose results are in {repository.FOLDER}",
        "instrument": {"@id": WORKFLOW},
        "object": refer(sorted(path for path in inputs if not path.startswith(CODE))),
        "result": refer(sorted(results)),
    }
    whole = {
        "@id": ROOT_ID,
        "@type": "Dataset",
        **credits,
        "mainEntity": {"@id": WORKFLOW},
        "mentions": {"@id": run["@id"]},
        "hasPart": refer(sorted(part["@id"] for part in parts)),
    }
    described = [*parts, *people, *parameters, *outputs, run, workflow, _language(root)]
    found = {one["@id"]: one for one in described}
    found[README]["about"] = {"@id": ROOT_ID}
    descriptor = {
        "@id": manifests.CRATE,
        "@type": "CreativeWork",
        "about": {"@id": ROOT_ID},
        "conformsTo": refer([SPECIFICATION, PROFILE]),
    }
    return {
        "@context": [f"{SPECIFICATION}/context", TERMS],
        "@graph": [descriptor, whole, *(found[key] for key in sorted(found))],
    }


def _yaml(path: Path) -> Any:
    return yaml.safe_load(files.read_bytes(path, RESTORE))


def _language(root: Path) -> Entity:
    """Describe Snakemake, in the version that the lock pins."""
    lock = files.read_bytes(root / LOCK, RESTORE).decode()
    [version] = re.findall(r"^snakemake==([^\s;\\]+)", lock, re.MULTILINE)
    return {
        "@id": SNAKEMAKE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": {"@id": "https://doi.org/10.1093/bioinformatics/bts480"},
        "url": {"@id": "https://snakemake.readthedocs.io"},
        "version": version,
    }
