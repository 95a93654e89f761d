"""A crate held against the tree that it describes, by nothing but its text and the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing.crate import layout

MEND = "make it again with `make facts`"
CONTEXT = [f"https://w3id.org/ro/crate/{layout.VERSION}/context", layout.TERMS]
PROFILES = {
    f"https://w3id.org/ro/crate/{layout.VERSION}",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
}
# What RO-Crate asks of every crate, and the profile of a workflow.
OF_ROOT = ("name", "description", "datePublished", "license", "mainEntity")
OF_WORKFLOW = {"File", "SoftwareSourceCode", "ComputationalWorkflow"}

Entity = dict[str, Any]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def references(entity: Entity) -> Iterator[str]:
    """The identifiers that an entity points to.

    >>> list(references({"@id": "a", "license": {"@id": "b"}, "hasPart": [{"@id": "c"}]}))
    ['b', 'c']
    """
    for value in entity.values():
        for one in _listed(value):
            if isinstance(one, dict) and isinstance(one.get("@id"), str):
                yield one["@id"]


def is_local(identifier: str) -> bool:
    """Whether an identifier is of this crate, not an address on the web.

    >>> is_local("config.yaml"), is_local("#run"), is_local("https://schema.org/")
    (True, True, False)
    """
    try:
        return not urlsplit(identifier).scheme
    except ValueError:  # no address either, so it has to be found here
        return True


def entities(document: Any) -> dict[str, Entity]:
    """The entities by identifier.

    Raises
    ------
    FactsError
        If the document is no flat graph, or names an entity twice.
    """
    graph = document.get("@graph") if isinstance(document, dict) else None
    if not isinstance(graph, list):
        raise FactsError(
            f"{layout.NAME}: found no list `@graph`, expected a crate's entities; {MEND}"
        )
    found: dict[str, Entity] = {}
    for entity in graph:
        identifier = entity.get("@id") if isinstance(entity, dict) else None
        if not isinstance(identifier, str) or identifier in found:
            raise FactsError(
                f"{layout.NAME}: @id found {identifier!r}, expected one of its own for every"
                f" entity; {MEND}"
            )
        found[identifier] = entity
    return found


def _of_the_whole(document: dict[str, Any], by_id: dict[str, Entity]) -> Iterator[str]:
    """What the specification and the profile demand of context, descriptor, root and workflow."""
    if document.get("@context") != CONTEXT:
        yield f"@context found {document.get('@context')!r}, expected {CONTEXT}"
    descriptor, root = by_id.get(layout.NAME, {}), by_id.get(layout.ROOT_ID, {})
    claimed = set(references({"conformsTo": descriptor.get("conformsTo")}))
    if descriptor.get("about") != {"@id": layout.ROOT_ID} or not claimed >= PROFILES:
        yield (
            f"{layout.NAME} found another descriptor, expected one about {layout.ROOT_ID} that"
            f" conforms to {' and '.join(sorted(PROFILES))}"
        )
    for key in OF_ROOT:
        if not root.get(key):
            yield f"{layout.ROOT_ID} found no {key}, expected one"
    main = next(references({"mainEntity": root.get("mainEntity")}), "")
    workflow = by_id.get(main, {})
    if not set(map(str, _listed(workflow.get("@type")))) >= OF_WORKFLOW:
        kinds = ", ".join(sorted(OF_WORKFLOW))
        yield f"{main or 'mainEntity'} found another type, expected {kinds}"
    language = next(references({"language": workflow.get("programmingLanguage")}), "")
    if by_id.get(language, {}).get("@type") != "ComputerLanguage":
        yield f"{main or 'mainEntity'} found no programmingLanguage, expected a ComputerLanguage"


def _of_references(by_id: dict[str, Entity]) -> Iterator[str]:
    """Every reference within the crate leads somewhere, and every file hangs on the root."""
    for identifier, entity in by_id.items():
        for target in references(entity):
            if is_local(target) and target not in by_id:
                yield f"{identifier} found a reference to {target}, expected an entity of that @id"
    waiting, reached = [layout.ROOT_ID], set[str]()
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting += references({"hasPart": by_id.get(here, {}).get("hasPart")})
    for identifier, entity in by_id.items():
        kinds = _listed(entity.get("@type"))
        if ("File" in kinds or "Dataset" in kinds) and identifier not in reached:
            yield f"{identifier} found outside every hasPart, expected a part of {layout.ROOT_ID}"


def _of_files(by_id: dict[str, Entity], root: Path, folder: str) -> Iterator[str]:
    """Every local file and folder is there, with the bytes that the crate tells."""
    unhashed = {*layout.DOCUMENTS, *(f"{folder}/{name}" for name in layout.WRITTEN_AFTER)}
    for identifier, entity in by_id.items():
        kinds = _listed(entity.get("@type"))
        if not is_local(identifier) or not ("File" in kinds or "Dataset" in kinds):
            continue
        pure = PurePosixPath(unquote(identifier))
        if pure.is_absolute() or ".." in pure.parts:
            yield f"{identifier} found a path that leads out, expected one below the root"
            continue
        path = root / pure
        if not (path.is_file() if "File" in kinds else path.is_dir()):
            yield f"{identifier} not found, expected it below {root}"
        elif "File" in kinds and identifier not in unhashed:
            data = files.read_bytes(path, MEND)
            told = (entity.get("sha256"), entity.get("contentSize"))
            found = (files.sha256(data), str(len(data)))
            if told != found:
                yield (
                    f"{identifier} found sha256 and size {' '.join(found)}, expected"
                    f" {' '.join(map(str, told))} as the crate says"
                )


def _of_results(by_id: dict[str, Entity], published: Iterable[str], folder: str) -> Iterator[str]:
    """The crate and the manifest tell of the same published files."""
    told = {
        identifier
        for entity in by_id.values()
        if entity.get("@type") == "CreateAction"
        for identifier in references({"result": entity.get("result")})
    }
    for identifier in sorted(told ^ {f"{folder}/{name}" for name in published}):
        side = "crate" if identifier in told else "manifest"
        yield f"{identifier} found in the {side} alone, expected it in crate and manifest"


def faults(
    document: Any, root: Path, published: Iterable[str], folder: str = layout.FOLDER
) -> list[str]:
    """Everything in which a crate is wrong about itself or about the tree below `root`.

    Parameters
    ----------
    document : Any
        The parsed crate.
    root : Path
        The repository.
    published : Iterable of str
        What a run publishes, by name within `folder`, as the manifest lists it.
    folder : str
        The published folder, from the root.

    Raises
    ------
    FactsError
        If the document is no crate at all.
    """
    by_id = entities(document)
    return [
        *_of_the_whole(document, by_id),
        *_of_references(by_id),
        *_of_files(by_id, root, folder),
        *_of_results(by_id, published, folder),
    ]


def check(root: Path, published: Iterable[str], folder: str = layout.FOLDER) -> int:
    """Hold the crate at the root against the tree; the number of its entities is returned.

    The parameters are those of `faults`.

    Raises
    ------
    ClaimError
        With the first fault.
    FactsError
        If there is no crate.
    """
    document = canonical_json.read(root / layout.NAME)
    found = faults(document, root, published, folder)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise ClaimError(f"{root / layout.NAME}: {found[0]}{more}; {MEND}")
    return len(entities(document))
