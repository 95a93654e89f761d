"""Every value of facts.json with its path and class, and where two documents or texts differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Any

from fusedfacts.audit.rules import QUOTED, identical, short
from fusedfacts.documents import schema

SEE_CLASS = "see class"  # a claim's value is of the class that the claim names
# Elements of these lists are told by what names them, so that one more does not shift the rest.
NAMES = {"claims": "{id}", "traffic": "d{d},n{n}", "sources": "{id}", "record_law": "n{n}"}


@dataclass(frozen=True)
class Leaf:
    """One value: its class is exact, bounded or observed."""

    kind: str
    value: Any


def objects(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Walk over every object of a document, with its path.

    >>> list(objects({"a": [{}]}))
    [('', {'a': [{}]}), ('a[0]', {})]
    """
    if isinstance(value, dict):
        yield path, value
        for key, below in value.items():
            yield from objects(below, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from objects(below, f"{path}[{i}]")


def _resolved(node: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    """Add to a schema node what its `$ref` points at."""
    if "$ref" not in node:
        return node
    return {**_resolved(top["$defs"][node["$ref"].removeprefix("#/$defs/")], top), **node}


def _below(node: dict[str, Any], key: str, kind: str) -> dict[str, Any]:
    """Find the schema of a property; `kind` is the class that a claim names for its value."""
    patterns = node.get("patternProperties", {})
    found = [node["properties"][key]] if key in node.get("properties", {}) else []
    found += [child for pattern, child in patterns.items() if re.search(pattern, key)]
    if not found:  # what another schema describes is of the class of the whole
        return {"class": "observed" if node.get("class") == "observed" else "exact"}
    return {**found[0], "class": kind} if found[0].get("class") == SEE_CLASS else found[0]


def _walk(
    value: Any, node: dict[str, Any], top: dict[str, Any], path: str, key: str
) -> Iterator[tuple[str, Leaf]]:
    node = _resolved(node, top)
    if isinstance(value, dict) and value:
        for name in value:
            below = _below(node, name, value.get("class", "exact"))
            yield from _walk(value[name], below, top, f"{path}.{name}".lstrip("."), name)
    elif isinstance(value, list) and value:
        below = node.get("items", {"class": node.get("class")})
        for i, item in enumerate(value):
            name = NAMES[key].format(**item) if key in NAMES else str(i)
            yield from _walk(item, below, top, f"{path}[{name}]", "")
    else:
        kind = node.get("class") or "exact"
        yield path, Leaf("exact" if kind == "container" else kind, value)


def leaves(document: dict[str, Any]) -> dict[str, Leaf]:
    """Map the path of every value of facts.json to its leaf.

    Examples
    --------
    >>> found = leaves({"schema_version": 1, "traffic": [{"d": 16, "n": 64, "ratio": 5.0}]})
    >>> found["traffic[d16,n64].ratio"]
    Leaf(kind='exact', value=5.0)
    """
    top = schema.load("facts")
    return dict(_walk(document, top, top, "", ""))


def first_difference(
    one: bytes, other: bytes, names: tuple[str, str] = ("published", "computed")
) -> str:
    r"""Say where two texts part, as `line 3: published .., computed ..`.

    Examples
    --------
    >>> first_difference(b"a\nb\nc", b"b\nb\nd")
    "line 1: published 'a', computed 'b', and 1 more"
    >>> first_difference(b"a\r\n", b"a\n")
    'published has CRLF line ends, computed LF'
    """
    if b"\r" in one and one.replace(b"\r\n", b"\n") == other:
        return f"{names[0]} has CRLF line ends, {names[1]} LF"
    pairs = zip_longest(*(text.decode(errors="replace").splitlines() for text in (one, other)))
    parted = [(i, pair) for i, pair in enumerate(pairs, 1) if pair[0] != pair[1]]
    if not parted:
        return "same lines, other line ends"
    number, (left, right) = parted[0]
    more = f", and {len(parted) - 1:,} more" if parted[1:] else ""
    # A paragraph is one line: begin shortly before the place where the two part.
    both = zip(left or "", right or "", strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    begin = max(0, same - QUOTED // 4)
    found, expected = (short(line and line[begin:]) for line in (left, right))
    return f"line {number}: {names[0]} {found}, {names[1]} {expected}{more}"


def differences(published: dict[str, Leaf], computed: dict[str, Leaf], kind: str) -> list[str]:
    """Write a sentence for every leaf of one class that differs or stands on one side only.

    The class is the computed side's where both have the leaf: a lie about the class is no way out.

    Examples
    --------
    >>> one, other = {"a": Leaf("exact", 2)}, {"a": Leaf("exact", 3)}
    >>> differences(one, other, "exact")
    ['a: published 2, computed 3']
    """
    found = []
    merged = published | computed
    for path in sorted(path for path, leaf in merged.items() if leaf.kind == kind):
        if path not in published or path not in computed:
            found.append(f"{path}: only {'published' if path in published else 'computed'}")
        elif not identical(published[path].value, computed[path].value):
            values = short(published[path].value), short(computed[path].value)
            found.append(f"{path}: published {values[0]}, computed {values[1]}")
    return found
