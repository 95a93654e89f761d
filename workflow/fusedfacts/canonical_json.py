"""The one writer of JSON: the same value always gives the same bytes.

Sorted keys, UTF-8, LF, a final newline, no NaN, -0.0 written 0.0, and exact types only: a
NumPy scalar passes an isinstance check, so `type(x) is` decides.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from fusedfacts.errors import FactsError


def _clean(value: Any, where: str) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        if not math.isfinite(value):
            raise TypeError(f"{where}: {value} has no place in JSON")
        return value + 0.0  # -0.0 + 0.0 is 0.0
    if kind is list:
        return [_clean(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if kind is dict:
        for key in value:
            if type(key) is not str:
                raise TypeError(f"{where}: key {key!r} is a {type(key).__name__}, not a str")
        return {key: _clean(item, f"{where}.{key}") for key, item in value.items()}
    raise TypeError(f"{where}: {kind.__module__}.{kind.__qualname__} is not an exact JSON type")


def dumps(value: Any) -> str:
    """The canonical text of a value.

    Raises
    ------
    TypeError
        For a type that is not exactly dict, list, str, int, float, bool or None, a key that is
        not a str, or a float that is not finite: always a programming error.

    Examples
    --------
    >>> print(dumps({"b": [1, -0.0], "a": None}), end="")
    {
     "a": null,
     "b": [
      1,
      0.0
     ]
    }
    """
    clean = _clean(value, "$")
    return json.dumps(clean, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} appears twice")
        found[key] = value
    return found


def loads(text: str, name: str) -> Any:
    """Parse strict JSON: no NaN, no key twice.

    Raises
    ------
    FactsError
        Naming `name` and the fault.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as fault:
        raise FactsError(
            f"{name}: found text that is not strict JSON ({fault}), expected a JSON document;"
            " restore the file with `git checkout`, or rebuild it with `make facts`"
        ) from None


def read(path: Path) -> Any:
    """Read a strict JSON file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FactsError(f"{path}: not found; build it with `make facts`") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise FactsError(f"{path}: cannot be read as UTF-8 text ({fault}); restore it") from None
    return loads(text, str(path))
