"""The entities of the crate: files, the people and papers of CITATION.cff, the parameters."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from fusedfacts.documents import files
from fusedfacts.errors import FactsError

Entity = dict[str, Any]

PARAMETER_PROFILE = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
ARXIV = "arXiv:"
# Python's own table differs from version to version. The longest ending wins; templates are text
# whatever they become.
MEDIA_TYPES = {
    **dict.fromkeys((".cff", ".yaml"), "application/yaml"),
    **dict.fromkeys((".j2", ".smk", ".txt", "LICENSE", "SHA256SUMS", "Snakefile"), "text/plain"),
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".schema.json": "application/schema+json",
    ".svg": "image/svg+xml",
    ".vtt": "text/vtt",
    ".wgsl": "text/wgsl",
}
SOURCE_CODE = (".js", ".py", ".smk", ".wgsl")
# The schema that holds a file, by how the file's path ends.
SCHEMA_OF = {
    "config.yaml": "config",
    "facts.json": "facts",
    "film.json": "film",
    "kernels/manifest.json": "kernels",
    "workflow/templates/names.json": "names",
}
TYPES = {"integer": "Integer", "boolean": "Boolean", "string": "Text"}
TYPE_OF_VALUE = {int: "Integer", bool: "Boolean", str: "Text"}


def refer(identifiers: Iterable[str]) -> list[dict[str, str]]:
    """Make a reference to each identifier."""
    return [{"@id": one} for one in identifiers]


def _compact(identifiers: Iterable[str]) -> Any:
    """Refer to one bare, to more in a list: the compact form that RO-Crate asks for."""
    found = refer(identifiers)
    return found[0] if len(found) == 1 else found


def media_type(path: str) -> str:
    """Name the media type of a file: of no known ending, of bytes.

    >>> media_type("media/facts.json"), media_type("facts.schema.json"), media_type("LICENSE")
    ('application/json', 'application/schema+json', 'text/plain')
    """
    endings = [ending for ending in MEDIA_TYPES if path.endswith(ending)]
    return MEDIA_TYPES[max(endings, key=len)] if endings else "application/octet-stream"


def file(path: str, data: bytes | None) -> Entity:
    """Describe a file by its path from the root; without bytes it is named and no more."""
    is_code = path.endswith(SOURCE_CODE)
    found: Entity = {
        "@id": path,
        "@type": ["File", "SoftwareSourceCode"] if is_code else "File",
        "name": path,
        "encodingFormat": media_type(path),
    }
    if data is not None:
        found |= {"sha256": files.sha256(data), "contentSize": str(len(data))}
    for ending, schema in SCHEMA_OF.items():
        if PurePosixPath(path).match(ending):
            found["conformsTo"] = {"@id": f"workflow/schemas/{schema}.schema.json"}
    return found


def field(document: Any, key: str, where: str = "") -> Any:
    """Read a field of CITATION.cff; FactsError where there is none."""
    value = document.get(key) if isinstance(document, dict) else None
    if not value:
        raise FactsError(
            f"CITATION.cff: {where}{key} found {value!r}, expected a value; add it there"
        )
    return value


def credits(about: Any) -> tuple[Entity, list[Entity]]:
    """Describe authors, licence and papers: properties of the whole, and the entities behind them.

    Parameters
    ----------
    about : dict
        CITATION.cff.
    """
    licence = field(about, "license")
    terms = {
        "@id": f"https://spdx.org/licenses/{licence}",
        "@type": "CreativeWork",
        "name": licence,
        "description": "The text is in LICENSE.",
    }
    authors = _agents(about, "")
    papers, their_authors = [], []
    for i, reference in enumerate(field(about, "references")):
        where = f"references[{i}]."
        people = _agents(reference, where)
        papers.append(_paper(reference, where, people))
        their_authors += people
    properties = {
        "author": _compact(one["@id"] for one in authors),
        "license": {"@id": terms["@id"]},
        "citation": _compact(one["@id"] for one in papers),
    }
    return properties, [terms, *authors, *papers, *their_authors]


def _agents(document: Any, where: str) -> list[Entity]:
    listed = enumerate(field(document, "authors", where))
    return [_agent(one, f"{where}authors[{i}].") for i, one in listed]


def _agent(found: Mapping[str, Any], where: str) -> Entity:
    """Describe a person, who has a family name, or else an organization."""
    if "family-names" in found:
        given, family = field(found, "given-names", where), field(found, "family-names", where)
        kind, name = "Person", f"{given} {family}"
        parts = {"givenName": given, "familyName": family}
    else:
        kind, name, parts = "Organization", field(found, "name", where), {}
    words = "".join(letter if letter.isalnum() else " " for letter in name.lower()).split()
    return {"@id": "#" + "-".join(words), "@type": kind, "name": name, **parts}


def _paper(found: Mapping[str, Any], where: str, authors: list[Entity]) -> Entity:
    """Describe an article under the address of its abstract."""
    listed = [str(one.get("value")) for one in field(found, "identifiers", where)]
    number = next((value for value in listed if value.startswith(ARXIV)), None)
    if number is None:
        raise FactsError(
            f"CITATION.cff: {where}identifiers found {listed}, expected one that begins with"
            f" {ARXIV}; add it there"
        )
    return {
        "@id": "https://arxiv.org/abs/" + number.removeprefix(ARXIV),
        "@type": "ScholarlyArticle",
        "name": field(found, "title", where),
        "identifier": number,
        "datePublished": str(field(found, "year", where)),
        "author": _compact(one["@id"] for one in authors),
    }


def parameters(
    schema: dict[str, Any], defaults: Mapping[str, Any], paths: Collection[str]
) -> list[Entity]:
    """Describe every key of the config.

    Parameters
    ----------
    schema : dict
        config.schema.json.
    defaults : Mapping
        config.yaml, as shipped: no key must be given.
    paths : Collection of str
        The files that the crate describes, by which a key's example is found.
    """
    found = []
    for key, declared in sorted(schema["properties"].items()):
        node, value = _resolved(declared, schema), defaults[key]
        parameter = {
            **_parameter(f"#config-{key}", key, node["description"]),
            "valueRequired": False,
            "defaultValue": _text(value),
        }
        if node.get("type") == "array":
            parameter |= {
                "additionalType": _type(_resolved(node["items"], schema)),
                "multipleValues": True,
                "defaultValue": [_text(item) for item in value],
            }
        elif f"{key}_sha256" in schema["properties"]:  # a file, whose hash stands beside it
            parameter |= {"additionalType": "File", "encodingFormat": media_type(value)}
            if value in paths:
                parameter["workExample"] = {"@id": value}
        else:
            parameter["additionalType"] = _type(node)
        found.append(parameter)
    return found


def outputs(schemas: Mapping[str, dict[str, Any]], paths: Collection[str]) -> list[Entity]:
    """Describe every result that one of the schemas, by name, is the schema of."""
    return [
        {
            **_parameter(f"#result-{name}.json", f"{name}.json", schemas[name]["description"]),
            "additionalType": "File",
            "encodingFormat": media_type(path),
            "workExample": {"@id": path},
        }
        for path in sorted(paths)
        for name in schemas
        if PurePosixPath(path).name == f"{name}.json"
    ]


def _parameter(identifier: str, name: str, description: str) -> Entity:
    return {
        "@id": identifier,
        "@type": "FormalParameter",
        "conformsTo": {"@id": PARAMETER_PROFILE},
        "name": name,
        "description": description,
    }


def _resolved(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    target: dict[str, Any] = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
    return {**target, **node}


def _type(node: dict[str, Any]) -> str:
    return TYPES[node["type"]] if "type" in node else TYPE_OF_VALUE[type(node["enum"][0])]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
