"""The workflow's parameters: what config.schema.json and the schemas of its results say of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from fusedfacts.publishing.crate import content

PROFILE = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
FILE = "File"
TYPES = {"integer": "Integer", "boolean": "Boolean", "string": "Text"}
TYPE_OF_VALUE = {int: "Integer", bool: "Boolean", str: "Text"}
# Of what the workflow publishes, the files that a schema of their own describes.
RESULTS = ("facts.json", "film.json")


def _resolved(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    target: dict[str, Any] = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
    return {**target, **node}


def _type(node: dict[str, Any]) -> str:
    return TYPES[node["type"]] if "type" in node else TYPE_OF_VALUE[type(node["enum"][0])]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def inputs(
    schema: dict[str, Any], defaults: Mapping[str, Any], paths: Collection[str]
) -> list[dict[str, Any]]:
    """A FormalParameter for every key of the config.

    Parameters
    ----------
    schema : dict
        config.schema.json.
    defaults : Mapping
        config.yaml, as shipped: no key must be given.
    paths : Collection of str
        The files that the crate describes, by which a key's example is found.

    Examples
    --------
    >>> seed = {"properties": {"seed": {"type": "integer", "description": "of every input"}}}
    >>> [(key["name"], key["additionalType"], key["defaultValue"])
    ...  for key in inputs(seed, {"seed": 23}, [])]
    [('seed', 'Integer', '23')]
    """
    found = []
    for key, declared in sorted(schema["properties"].items()):
        node = _resolved(declared, schema)
        value = defaults[key]
        parameter = {
            "@id": f"#config-{key}",
            "@type": "FormalParameter",
            "conformsTo": {"@id": PROFILE},
            "name": key,
            "description": node["description"],
            "valueRequired": False,
        }
        if node.get("type") == "array":
            parameter |= {
                "additionalType": _type(_resolved(node["items"], schema)),
                "multipleValues": True,
                "defaultValue": [_text(item) for item in value],
            }
        elif f"{key}_sha256" in schema["properties"]:  # a file, whose hash stands beside it
            parameter |= {
                "additionalType": FILE,
                "encodingFormat": content.media_type(value),
                "defaultValue": value,
            }
            if value in paths:
                parameter["workExample"] = {"@id": value}
        else:
            parameter |= {"additionalType": _type(node), "defaultValue": _text(value)}
        found.append(parameter)
    return found


def outputs(
    schemas: Mapping[str, dict[str, Any]], published: Collection[str], folder: str
) -> list[dict[str, Any]]:
    """A FormalParameter for every result that a schema describes.

    Parameters
    ----------
    schemas : Mapping of str to dict
        By name: "facts" is that of facts.json.
    published : Collection of str
        Names within the published folder.
    folder : str
        The published folder, from the repository's root.
    """
    return [
        {
            "@id": f"#result-{name}",
            "@type": "FormalParameter",
            "conformsTo": {"@id": PROFILE},
            "name": name,
            "description": schemas[content.SCHEMA_OF[name]]["description"],
            "additionalType": FILE,
            "encodingFormat": content.media_type(name),
            "workExample": {"@id": f"{folder}/{name}"},
        }
        for name in RESULTS
        if name in published
    ]
