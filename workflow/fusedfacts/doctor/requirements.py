"""The lock requirements.txt: each package's version, its hashes, and where it applies."""

from __future__ import annotations

import ast
import os
import platform
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fusedfacts.errors import FactsError

LOCK = "requirements.txt"
MEND = (
    "write it anew with the command that CONTRIBUTING.md gives, or `git checkout requirements.txt`"
)
PIN = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.!+]+)"
    r"(?: *; *(?P<marker>[^\\]+?))?(?P<hashes>(?: +--hash=sha256:[0-9a-f]{64})+) *"
)
PIN_BEGINS = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==", re.MULTILINE)  # its name alone
HASH = re.compile(r"sha256:[0-9a-f]{64}")
VERSIONS = ("python_version", "python_full_version")  # compared number by number, not as text


@dataclass(frozen=True)
class Pin:
    """One package of the lock: its name in normal form, its marker empty if it always applies."""

    name: str
    version: str
    marker: str
    hashes: frozenset[str]


def normal(name: str) -> str:
    """A package's name in the form in which two are compared.

    >>> normal("Jinja2"), normal("ruamel.yaml_x")
    ('jinja2', 'ruamel-yaml-x')
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def parsed(text: str) -> list[Pin]:
    """The pins of a lock, in its order.

    Raises
    ------
    FactsError
        If a line is anything but one version with at least one SHA-256.
    """
    pins = []
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = PIN.fullmatch(line)
        if not found:
            raise FactsError(
                f"{LOCK}: found {line[:60].strip()!r}, expected NAME==VERSION with a sha256 hash;"
                f" {MEND}"
            )
        hashes = frozenset(HASH.findall(found["hashes"]))
        pins.append(Pin(normal(found["name"]), found["version"], found["marker"] or "", hashes))
    return pins


def here() -> dict[str, str]:
    """The values of markers on this machine."""
    return {
        "implementation_name": sys.implementation.name,
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_system": platform.system(),
        "python_full_version": platform.python_version(),
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    }


def applies(marker: str, values: Mapping[str, str]) -> bool:
    """Whether a marker holds; it is read as a comparison, never run.

    Raises
    ------
    FactsError
        If it compares anything else than known names with text.

    Examples
    --------
    >>> applies("sys_platform == 'win32' or python_version >= '3.9'",
    ...         {"sys_platform": "linux", "python_version": "3.11"})
    True
    """
    try:
        return _holds(ast.parse(marker, mode="eval").body, values) if marker else True
    except (SyntaxError, KeyError, ValueError):
        raise FactsError(
            f"{LOCK}: found the marker {marker!r}, expected a comparison of"
            f" {', '.join(sorted(values))}; {MEND}"
        ) from None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


COMPARISONS: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,  # type: ignore[operator]
    ast.LtE: lambda a, b: a <= b,  # type: ignore[operator]
    ast.Gt: lambda a, b: a > b,  # type: ignore[operator]
    ast.GtE: lambda a, b: a >= b,  # type: ignore[operator]
}


def _holds(node: ast.expr, values: Mapping[str, str]) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = [_holds(part, values) for part in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1):
        raise ValueError(ast.dump(node))
    name, text = node.left, node.comparators[0]
    if not (isinstance(name, ast.Name) and isinstance(text, ast.Constant)):
        raise ValueError(ast.dump(node))
    compare = COMPARISONS[type(node.ops[0])]
    found, wanted = values[name.id], str(text.value)
    if name.id in VERSIONS:
        return compare(_numbers(found), _numbers(wanted))
    return compare(found, wanted)
