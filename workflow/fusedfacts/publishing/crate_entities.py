"""The entities of the crate: files, the people and papers of CITATION.cff, the parameters."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from fusedfacts.documents import files

Entity = dict[str, Any]

PARAMETER_PROFILE = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
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
    "drawn.json": "drawn",
    "facts.json": "facts",
    "film.json": "film",
    "kernels/manifest.json": "kernels",
    "workflow/templates/names.json": "names",
}
TYPES = {int: "Integer", bool: "Boolean", str: "Text"}


def schema_path(name: str) -> str:
    """Name the file of a schema, by its path from the root."""
    return f"workflow/schemas/{name}.schema.json"


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
    for ending, name in SCHEMA_OF.items():
        if PurePosixPath(path).match(ending):
            found["conformsTo"] = {"@id": schema_path(name)}
    return found


def credits(about: Mapping[str, Any]) -> tuple[Entity, list[Entity]]:
    """Describe a repository by its CITATION.cff: its properties, and the entities behind them.

    Raises
    ------
    KeyError
        Naming a field that is not there.
    """
    terms = {
        "@id": f"https://spdx.org/licenses/{about['license']}",
        "@type": "CreativeWork",
        "name": about["license"],
        "description": "The text is in LICENSE.",
    }
    authors = [_agent(one) for one in about["authors"]]
    papers, their_authors = [], []
    for reference in about["references"]:
        people = [_agent(one) for one in reference["authors"]]
        papers.append(_paper(reference, people))
        their_authors += people
    author = _compact(one["@id"] for one in authors)
    properties = {
        "name": about["title"],
        "description": " ".join(about["abstract"].split()),
        "version": about["version"],
        "datePublished": str(about["date-released"]),
        "keywords": about["keywords"],
        "publisher": author,
        "author": author,
        "license": {"@id": terms["@id"]},
        "citation": _compact(one["@id"] for one in papers),
    }
    return properties, [terms, *authors, *papers, *their_authors]


def _agent(found: Mapping[str, Any]) -> Entity:
    """Describe a person, who has a family name, or else an organization."""
    if "family-names" in found:
        parts = {"givenName": found["given-names"], "familyName": found["family-names"]}
        kind, name = "Person", " ".join(parts.values())
    else:
        kind, name, parts = "Organization", found["name"], {}
    words = "".join(letter if letter.isalnum() else " " for letter in name.lower()).split()
    return {"@id": "#" + "-".join(words), "@type": kind, "name": name, **parts}


def _paper(found: Mapping[str, Any], authors: list[Entity]) -> Entity:
    """Describe an article under the address of its abstract."""
    parts = [one["value"].partition(":") for one in found["identifiers"]]
    numbers = {scheme: number for scheme, _, number in parts}
    return {
        "@id": f"https://arxiv.org/abs/{numbers['arXiv']}",
        "@type": "ScholarlyArticle",
        "name": found["title"],
        "identifier": f"arXiv:{numbers['arXiv']}",
        "datePublished": str(found["year"]),
        "author": _compact(one["@id"] for one in authors),
    }


def parameters(
    schema: Mapping[str, Any], defaults: Mapping[str, Any], paths: Collection[str]
) -> list[Entity]:
    """Describe every key of the config.

    Parameters
    ----------
    schema : Mapping
        config.schema.json.
    defaults : Mapping
        config.yaml, as shipped: no key must be given.
    paths : Collection of str
        The files that the crate describes, by which a key's example is found.
    """
    found = []
    for key, declared in sorted(schema["properties"].items()):
        value = defaults[key]
        parameter = _parameter(f"#config-{key}", key, declared["description"])
        parameter |= {"valueRequired": False, "defaultValue": _text(value)}
        if isinstance(value, list):
            parameter["additionalType"] = TYPES[type(value[0])]
            parameter |= {"multipleValues": True, "defaultValue": [_text(item) for item in value]}
        elif f"{key}_sha256" in defaults:  # a file, whose hash stands beside it
            parameter |= {"additionalType": "File", "encodingFormat": media_type(value)}
            if value in paths:
                parameter["workExample"] = {"@id": value}
        else:
            parameter["additionalType"] = TYPES[type(value)]
        found.append(parameter)
    return found


def output(path: str, schema: Mapping[str, Any]) -> Entity:
    """Describe a result that has a schema."""
    name = PurePosixPath(path).name
    return {
        **_parameter(f"#result-{name}", name, schema["description"]),
        "additionalType": "File",
        "encodingFormat": media_type(path),
        "workExample": {"@id": path},
    }


def _parameter(identifier: str, name: str, description: str) -> Entity:
    return {
        "@id": identifier,
        "@type": "FormalParameter",
        "conformsTo": {"@id": PARAMETER_PROFILE},
        "name": name,
        "description": description,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
