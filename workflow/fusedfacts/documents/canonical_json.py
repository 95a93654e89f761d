"""The one writer of JSON: the same value always gives the same bytes.

Sorted keys, UTF-8, LF, a final newline, no NaN, -0.0 written 0.0, and exact types only: a
NumPy scalar passes an isinstance check, so `type(x) is` decides.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from fusedfacts.errors import FactsError

# Limits for files from strangers, far beyond any file of ours: a count at n = 2^40 has 30 digits, a
# schema 13 levels, the largest facts of a sweep a few megabytes.
DIGITS_MOST = 100  # and so few that a float can hold the number
DEPTH_MOST = 100  # a tenth of the calls that Python's stack takes
BYTES_MOST = 64 * 2**20
SHOWN = 60  # characters of a wrong value that a message quotes
SURROGATE = re.compile("[\ud800-\udfff]")  # a whole pair is one character to Python


def _clean(value: Any, where: str) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int):
        return value
    if kind is str:
        if SURROGATE.search(value):
            raise TypeError(f"{where}: {value!r} has no place in UTF-8")
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
            _clean(key, f"{where}, a key")
        return {key: _clean(item, f"{where}.{key}") for key, item in value.items()}
    raise TypeError(f"{where}: {kind.__module__}.{kind.__qualname__} is not an exact JSON type")


def dumps(value: Any) -> str:
    """Write a value as canonical text; TypeError for anything else than exact, finite JSON types.

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


def _integer(digits: str) -> int:
    count = len(digits.removeprefix("-"))
    if count > DIGITS_MOST:
        raise ValueError(f"a whole number of {count} digits, more than {DIGITS_MOST}")
    return int(digits)


def _decimal(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{_shown(digits)} is beyond the largest float")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {_shown(key)!r} appears twice")
        found[key] = value
    return found


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _refuse_strange(document: Any) -> None:
    """Refuse depth and half characters, level by level: the stack ends before the document."""
    level, depth = [document], 0
    while level:
        below: list[Any] = []
        for value in level:
            if type(value) is str and SURROGATE.search(value):
                raise ValueError(f"half a character, {_shown(value)!r}")
            if type(value) in (list, dict) and depth == DEPTH_MOST:
                raise ValueError(f"values nested deeper than {DEPTH_MOST} levels")
            if type(value) is list:
                below += value
            elif type(value) is dict:
                below += [*value, *value.values()]
        level, depth = below, depth + 1


def loads(text: str, name: str) -> Any:
    """Parse strict JSON, or raise a FactsError that calls it `name`.

    It is what `dumps` could have written, whatever its layout: no NaN, no number that overflows, no
    key twice, no half of a surrogate pair, and no more digits or levels than ours could have.
    """
    try:
        document = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_integer,
            parse_float=_decimal,
            object_pairs_hook=_unique,
        )
        _refuse_strange(document)
    except (ValueError, RecursionError) as fault:
        raise FactsError(
            f"{name}: found text that is not strict JSON ({fault}), expected a JSON document;"
            " restore the file with `git checkout`, or rebuild it with `make facts`"
        ) from None
    return document


def read(path: Path) -> Any:
    """Read a strict JSON file, or raise a FactsError: no file, too large, no UTF-8, no JSON."""
    try:
        if path.exists() and not path.is_file():  # to open a pipe would be to wait for a writer
            raise FactsError(f"{path}: found no regular file, expected one; put one there")
        with path.open("rb") as file:
            content = file.read(BYTES_MOST + 1)
        text = content.decode()
    except FileNotFoundError:
        raise FactsError(f"{path}: not found; build it with `make facts`") from None
    except (OSError, ValueError) as fault:  # a path may hold a null character
        raise FactsError(f"{path}: cannot be read as UTF-8 text ({fault}); restore it") from None
    if len(content) > BYTES_MOST:
        raise FactsError(
            f"{path}: found more than {BYTES_MOST} bytes, expected a document of at most that;"
            " rebuild it with `make facts`"
        )
    return loads(text, str(path))
