"""ro-crate-metadata.json: the workflow, what it reads, what it publishes, as linked data.

A Workflow RO-Crate 1.0, which builds on RO-Crate 1.1, for registries of workflows. It holds no time
of its own and no machine: the date is that of the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fusedfacts.publishing.crate import content, layout, parameters
from fusedfacts.publishing.crate.citation import Citation
from fusedfacts.publishing.crate.content import Content

WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"


def _refs(identifiers: Iterable[str]) -> list[dict[str, str]]:
    return [{"@id": one} for one in identifiers]


def _compact(values: Sequence[Any]) -> Any:
    """One value bare, more as a list: the compact form that RO-Crate asks for."""
    return values[0] if len(values) == 1 else list(values)


def _add(crate: Any, entity: Mapping[str, Any]) -> Any:
    """An entity about the world, not a file; one author of two papers is added once."""
    from rocrate.model import ContextEntity

    properties = {key: value for key, value in entity.items() if key != "@id"}
    return crate.add(ContextEntity(crate, entity["@id"], properties=properties))


def _add_files(crate: Any, told: Mapping[str, Content | None], folders: Mapping[str, str]) -> None:
    for path, said in sorted(told.items()):
        if path != layout.WORKFLOW:
            crate.add_file(dest_path=path, properties=content.properties(path, said))
    for folder, name in sorted(folders.items()):
        parts = sorted(path for path in told if path.startswith(folder))
        holds = {"hasPart": _refs(parts)} if parts else {}
        crate.add_dataset(dest_path=folder, properties={"name": name, **holds})


def _add_citation(crate: Any, about: Citation) -> dict[str, Any]:
    """Who and what stands behind the whole: authors, licence and papers, by property."""
    licence = {
        "@id": f"https://spdx.org/licenses/{about.licence}",
        "@type": "CreativeWork",
        "name": about.licence,
        "description": "The text is in LICENSE.",
    }
    for _, authors in about.works:
        for one in authors:
            _add(crate, one)
    return {
        "author": _compact([_add(crate, one) for one in about.authors]),
        "license": _add(crate, licence),
        "citation": _compact([_add(crate, article) for article, _ in about.works]),
    }


def _workflow(
    about: Citation, said: Content, steps: Sequence[str], parts: Mapping[str, Any]
) -> dict[str, Any]:
    """The properties of the main entity."""
    told = content.properties(layout.WORKFLOW, said)
    del told["@type"]  # which its class knows
    told |= {
        "name": about.title,
        "description": about.abstract,
        "version": about.version,
        "dateCreated": about.released,
        "license": parts["license"],
        "creator": parts["author"],
        "sdPublisher": parts["author"],
        "citation": parts["citation"],
        "softwareRequirements": {"@id": layout.LOCK},
        "hasPart": _refs(steps),
    }
    if about.repository:  # the profile asks for an address; without one it is not claimed
        told |= {"url": about.repository, "conformsTo": {"@id": WORKFLOW_PROFILE}}
    return told


def _sorted(document: dict[str, Any]) -> dict[str, Any]:
    """The graph in one order: the descriptor, the root, then by identifier; its parts likewise."""
    first = {layout.NAME: 0, layout.ROOT_ID: 1}
    graph = sorted(
        document["@graph"], key=lambda entity: (first.get(entity["@id"], 2), entity["@id"])
    )
    graph[1]["hasPart"].sort(key=lambda part: part["@id"])
    return {"@context": document["@context"], "@graph": graph}


def crate(
    published: Mapping[str, Content],
    inputs: Mapping[str, Content],
    about: Citation,
    requirements: str,
    config: Mapping[str, Any],
    schemas: Mapping[str, dict[str, Any]],
    folder: str,
) -> dict[str, Any]:
    """The crate as a JSON document.

    Parameters
    ----------
    published : Mapping of str to Content
        By name within the published folder; not what is written after the crate.
    inputs : Mapping of str to Content
        Snakefile, config, lock, model, kernels and everything under workflow/, by path from the
        repository's root.
    about : Citation
        CITATION.cff.
    requirements : str
        The lock's text, for the version of Snakemake.
    config : Mapping
        config.yaml, as shipped.
    schemas : Mapping of str to dict
        The JSON Schemas "config", "facts" and "film".
    folder : str
        The published folder, from the repository's root: "media/school/fused".

    Raises
    ------
    FactsError
        If a file is of an unknown kind, or the lock pins no Snakemake.
    """
    from rocrate.rocrate import ROCrate

    made = ROCrate(version=layout.VERSION)
    made.metadata.extra_terms.update(layout.TERMS)
    results = {f"{folder}/{name}": said for name, said in published.items()}
    told: dict[str, Content | None] = {**inputs, **results}
    told |= dict.fromkeys(
        [*layout.DOCUMENTS, *(f"{folder}/{name}" for name in layout.WRITTEN_AFTER)]
    )
    _add_files(made, told, {**layout.FOLDERS, f"{folder}/": layout.PUBLISHED})
    made.get(layout.README)["about"] = made.root_dataset

    parts = _add_citation(made, about)
    steps = sorted(path for path in inputs if path.startswith(layout.STEPS))
    workflow = made.add_workflow(
        dest_path=layout.WORKFLOW,
        properties=_workflow(about, inputs[layout.WORKFLOW], steps, parts),
        main=True,
        lang="snakemake",
        lang_version=layout.pinned(requirements, "snakemake"),
    )
    workflow["input"] = [
        _add(made, one) for one in parameters.inputs(schemas["config"], config, inputs)
    ]
    workflow["output"] = [_add(made, one) for one in parameters.outputs(schemas, published, folder)]
    run = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"The run whose results are in {folder}",
        "instrument": {"@id": layout.WORKFLOW},
        "object": _refs(sorted(path for path in inputs if not path.startswith(layout.CODE))),
        "result": _refs(sorted(results)),
    }
    whole = {
        "name": about.title,
        "description": about.abstract,
        "version": about.version,
        "datePublished": about.released,
        "keywords": list(about.keywords),
        "publisher": parts["author"],
        "mentions": _add(made, run),
        **parts,
    }
    for key, value in whole.items():
        made.root_dataset[key] = value
    return _sorted(made.metadata.generate())
