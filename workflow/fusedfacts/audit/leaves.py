"""Every value of facts.json with its path and class, and where two documents or texts differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from itertools import takewhile, zip_longest
from typing import Any

from fusedfacts.audit.rules import QUOTED, short
from fusedfacts.documents import schema
from fusedfacts.numerics.rounding import DIGITS

SEE_CLASS = "see class"  # a claim's value is of the class that the claim names
# Elements of these lists are told by what names them, so that one more does not shift the rest.
NAMED_BY = {"claims": ("id",), "traffic": ("d", "n"), "sources": ("id",), "record_law": ("n",)}


@dataclass(frozen=True)
class Leaf:
    """One value: its class is exact, bounded or observed."""

    kind: str
    value: Any


def _resolved(node: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    """Add to a schema node what its `$ref` points at."""
    if "$ref" not in node:
        return node
    target: Any = top
    for step in node["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    return {**_resolved(target, top), **{key: node[key] for key in node if key != "$ref"}}


def _below(node: dict[str, Any], key: str) -> dict[str, Any]:
    """Find the schema of a property."""
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
    one: str, other: str, names: tuple[str, str] = ("published", "computed")
) -> str:
    r"""Say where two texts part, as `line 3: published .., computed ..`.

    Examples
    --------
    >>> first_difference("a\nb\n", "a\nc\n")
    "line 2: published 'b', computed 'c'"
    >>> first_difference("a\nb\nc", "b\nb\nd")
    "line 1: published 'a', computed 'b', and 1 more"
    >>> first_difference("a\r\n", "a\n")
    'published has CRLF line ends, computed LF'
    """
    if "\r" in one and one.replace("\r\n", "\n") == other:
        return f"{names[0]} has CRLF line ends, {names[1]} LF"
    pairs = list(zip_longest(one.splitlines(), other.splitlines()))
    for number, (left, right) in enumerate(pairs, 1):
        if left != right:
            further = sum(a != b for a, b in pairs[number:])
            more = f", and {further:,} more" if further else ""
            # A paragraph is one line: begin shortly before the place where the two part.
            both = zip(left or "", right or "", strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
            begin = max(0, same - QUOTED // 4)
            left, right = (line if line is None else line[begin:] for line in (left, right))
            return f"line {number}: {names[0]} {short(left)}, {names[1]} {short(right)}{more}"
    return "same lines, other line ends"


def rounded(value: Any) -> Any:
    """Round a bounded value as declared, up to three significant digits.

    >>> rounded(1.2301e-07), rounded(1.24e-07), rounded(None)
    (1.24e-07, 1.24e-07, None)
    """
    if type(value) is not float or value == 0 or value - value != 0:
        return value
    exact = Decimal(repr(value))
    step = Decimal(1).scaleb(exact.adjusted() - DIGITS + 1)
    return float((exact / step).to_integral_value(rounding=ROUND_CEILING) * step)


def same(kind: str, published: Any, computed: Any) -> bool:
    """Tell whether two values agree as their class asks: an observed one always does.

    >>> same("exact", 1, 1.0), same("bounded", 1.24e-07, 1.24e-07), same("observed", 3, 4)
    (False, True, True)
    """
    if kind == "observed":
        return True
    if kind == "bounded":
        published, computed = rounded(published), rounded(computed)
    return type(published) is type(computed) and bool(published == computed)


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
    for path in sorted(published.keys() | computed.keys()):
        left, right = published.get(path), computed.get(path)
        of = right or left
        if of is None or of.kind != kind:
            continue
        if left is None or right is None:
            found.append(f"{path}: only {'computed' if left is None else 'published'}")
        elif not same(kind, left.value, right.value):
            found.append(f"{path}: published {short(left.value)}, computed {short(right.value)}")
    return found
