"""Every value of facts.json with its path and its class, as the schema declares it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fusedfacts.documents import schema

SEE_CLASS = "see class"  # a claim's value is of the class that the claim names
# Elements of these lists are told by what names them, so that one more does not shift the rest.
NAMED_BY = {"claims": ("id",), "traffic": ("d", "n"), "sources": ("id",), "record_law": ("n",)}


@dataclass(frozen=True)
class Leaf:
    """One value: its class is exact, bounded or observed."""

    kind: str
    value: Any


def _resolved(node: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    """A schema node with what its `$ref` adds."""
    if "$ref" not in node:
        return node
    target: Any = top
    for step in node["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    return {**_resolved(target, top), **{key: node[key] for key in node if key != "$ref"}}


def _below(node: dict[str, Any], key: str) -> dict[str, Any]:
    """The schema of a property."""
    if key in node.get("properties", {}):
        found: dict[str, Any] = node["properties"][key]
        return found
    for pattern, child in node.get("patternProperties", {}).items():
        if re.search(pattern, key):
            found = child
            return found
    more = node.get("additionalProperties")
    if isinstance(more, dict):
        return more
    # What another schema describes is of the class of the whole.
    return {"class": "observed" if node.get("class") == "observed" else "exact"}


def _name(items: list[Any], i: int, key: str) -> str:
    names = NAMED_BY.get(key)
    item = items[i]
    if not names or not isinstance(item, dict) or any(name not in item for name in names):
        return str(i)
    if names == ("id",):
        return str(item["id"])
    return ",".join(f"{name}{item[name]}" for name in names)


def _walk(
    value: Any, node: dict[str, Any], top: dict[str, Any], path: str, key: str
) -> Iterator[tuple[str, Leaf]]:
    node = _resolved(node, top)
    if isinstance(value, dict) and value:
        for name in value:
            below = _below(node, name)
            if below.get("class") == SEE_CLASS:
                below = {**below, "class": value.get("class", "exact")}
            yield from _walk(value[name], below, top, f"{path}.{name}".lstrip("."), name)
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield from _walk(
                item,
                node.get("items", {"class": node.get("class")}),
                top,
                f"{path}[{_name(value, i, key)}]",
                "",
            )
    else:
        kind = node.get("class") or "exact"
        yield path, Leaf("exact" if kind in ("container", SEE_CLASS) else kind, value)


def leaves(document: dict[str, Any]) -> dict[str, Leaf]:
    """Path to leaf, of facts.json.

    Examples
    --------
    >>> found = leaves({"schema_version": 1, "traffic": [{"d": 16, "n": 64, "ratio": 5.0}]})
    >>> found["traffic[d16,n64].ratio"]
    Leaf(kind='exact', value=5.0)
    """
    top = schema.load("facts")
    return dict(_walk(document, top, top, "", ""))
