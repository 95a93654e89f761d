"""The one writer of JSON: the same value always gives the same bytes.

Sorted keys, UTF-8, LF, a final newline, no NaN, -0.0 written 0.0, and exact types only: a
NumPy scalar passes an isinstance check, so `type(x) is` decides.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from fusedfacts.errors import FactsError, printable

# Limits for files from strangers, far beyond any file of ours: a count at n = 2^40 has 30 digits, a
# schema 13 levels, the largest facts of a sweep a few megabytes.
DIGITS_MOST = 100  # and so few that a float can hold the number
DEPTH_MOST = 100  # a tenth of the calls that Python's stack takes
BYTES_MOST = 64 * 2**20
SHOWN = 60  # characters of a wrong value that a message quotes
RESTORE = "restore the file with `git checkout`, or rebuild it with `make facts`"


def _clean(value: Any, where: str) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value + 0.0  # -0.0 + 0.0 is 0.0
    if kind is list:
        return [_clean(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if kind is dict and all(type(key) is str for key in value):
        return {key: _clean(item, f"{where}.{key}") for key, item in value.items()}
    raise TypeError(f"{where}: {kind.__module__}.{kind.__qualname__} is not an exact JSON type")


def dumps(value: Any) -> str:
    """Write a value as canonical text; TypeError or ValueError for another than exact, finite ones.

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
        raise ValueError(f"{printable(digits, SHOWN)} is beyond the largest float")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise ValueError(f"the key {printable(twice, SHOWN)!r} appears twice")
    return found


def _refuse_strange(value: Any, depth: int = 0) -> None:
    """Refuse what is nested too deep, and half of a surrogate pair, which UTF-8 cannot hold."""
    if type(value) is str:
        value.encode()
    elif type(value) in (list, dict):
        if depth == DEPTH_MOST:
            raise ValueError(f"values nested deeper than {DEPTH_MOST} levels")
        for item in value if type(value) is list else [*value, *value.values()]:
            _refuse_strange(item, depth + 1)


def loads(text: str, name: str, mend: str = RESTORE) -> Any:
    """Parse strict JSON, or raise a FactsError that calls it `name` and says what mends it.

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
            f" {mend}"
        ) from None
    return document


def read(path: Path, mend: str = "build it with `make facts`") -> Any:
    """Read a strict JSON file, or raise a FactsError: no file, too large, no UTF-8, no JSON."""
    try:
        if path.exists() and not path.is_file():  # to open a pipe would be to wait for a writer
            raise FactsError(f"{path}: found no regular file, expected one; put one there")
        with path.open("rb") as file:
            content = file.read(BYTES_MOST + 1)
        text = content.decode()
    except FileNotFoundError:
        raise FactsError(f"{path}: not found; {mend}") from None
    except (OSError, ValueError) as fault:  # a path may hold a null character
        raise FactsError(f"{path}: cannot be read as UTF-8 text ({fault}); restore it") from None
    if len(content) > BYTES_MOST:
        raise FactsError(
            f"{path}: found more than {BYTES_MOST} bytes, expected a document of at most that;"
            " rebuild it with `make facts`"
        )
    return loads(text, str(path))
