"""Where two texts part, and which values of two documents differ, class by class."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from itertools import takewhile, zip_longest
from typing import Any

from fusedfacts.audit.leaves import Leaf
from fusedfacts.numerics.rounding import DIGITS

QUOTED = 120  # characters of a value that a message quotes


def short(value: Any) -> str:
    """A value as a message quotes it."""
    text = repr(value)
    return text if len(text) <= QUOTED else text[:QUOTED] + "..."


def first_difference(
    one: str, other: str, names: tuple[str, str] = ("published", "computed")
) -> str:
    r"""Where two texts part, as `line 3: published .., computed ..`.

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
    """A bounded value at its declared rounding, up to three significant digits.

    >>> rounded(1.2301e-07), rounded(1.24e-07), rounded(None)
    (1.24e-07, 1.24e-07, None)
    """
    if type(value) is not float or value == 0 or value - value != 0:
        return value
    exact = Decimal(repr(value))
    step = Decimal(1).scaleb(exact.adjusted() - DIGITS + 1)
    return float((exact / step).to_integral_value(rounding=ROUND_CEILING) * step)


def same(kind: str, published: Any, computed: Any) -> bool:
    """Whether two values agree as their class asks: an observed one always does.

    >>> same("exact", 1, 1.0), same("bounded", 1.24e-07, 1.24e-07), same("observed", 3, 4)
    (False, True, True)
    """
    if kind == "observed":
        return True
    if kind == "bounded":
        published, computed = rounded(published), rounded(computed)
    return type(published) is type(computed) and bool(published == computed)


def differences(published: dict[str, Leaf], computed: dict[str, Leaf], kind: str) -> list[str]:
    """A sentence for every leaf of one class that differs or stands on one side only.

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
