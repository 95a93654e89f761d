"""JSON Schema validation whose complaint is one sentence: where, what, expected, mend."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, relevance
from jsonschema.validators import extend

from fusedfacts.documents import canonical_json
from fusedfacts.errors import FactsError

SCHEMAS = Path(__file__).parents[2] / "schemas"
FAULTS_READ = 100  # among which the most telling one is told
SHOWN = 60  # characters of a wrong value that a message quotes
SAID_MOST = 400  # characters of a whole expectation, or of a place in a document


def _pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """To JSON Schema `$` is the end of a text; to Python also what comes before a last newline."""
    if validator.is_type(instance, "string"):
        strict = wanted[:-1] + r"\Z" if wanted.endswith("$") else wanted
        if not re.search(strict, instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")


def _frozen(value: Any) -> Any:
    """What two values share if and only if they are equal: true is no 1, but 1.0 is.

    >>> _frozen([1, {"a": True}]) == _frozen([1.0, {"a": True}]) != _frozen([1, {"a": 1}])
    True
    """
    if isinstance(value, dict):
        return frozenset((key, _frozen(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return (isinstance(value, bool), value)


def _unique_items(
    validator: Any, wanted: bool, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """In time that grows with the number of items, not with its square."""
    if wanted and validator.is_type(instance, "array"):
        try:
            once = len({_frozen(item) for item in instance}) == len(instance)
        except TypeError:  # a YAML set: no JSON, which its own keyword says
            return
        if not once:
            yield ValidationError(f"{instance!r} has non-unique elements")


# JSON Schema counts 64.0 as an integer; a count here is a whole number that is written as one.
Strict = extend(
    Draft202012Validator,
    validators={"pattern": _pattern, "uniqueItems": _unique_items},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: type(value) is int
    ),
)


def load(name: str) -> dict[str, Any]:
    """Read the schema `name`.schema.json, with its objects closed."""
    schema: dict[str, Any] = closed(canonical_json.read(SCHEMAS / f"{name}.schema.json"))
    return schema


def closed(schema: Any) -> Any:
    """Require every property that an object lists and allow no other, where it says nothing else.

    >>> closed({"type": "object", "properties": {"n": {"type": "integer"}}})["required"]
    ['n']
    """
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(below) for key, below in schema.items()}
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, list) and "object" in kind):
        if "properties" in schema:
            found.setdefault("required", list(schema["properties"]))
        if "properties" in schema or "patternProperties" in schema:
            found.setdefault("additionalProperties", False)
    return found


def where(error: ValidationError) -> str:
    """The path of a wrong value: `n_values[0]`, or the document itself."""
    path = ""
    for step in error.absolute_path:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return _cut(path.removeprefix("."), SAID_MOST) or "the document"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "..."


def expectation(error: ValidationError) -> str:
    """What the failed keyword wanted, in words."""
    wanted = error.validator_value
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    words: dict[str, Callable[[], str]] = {
        "type": lambda: f"a value of type {wanted}",
        "enum": lambda: f"one of {wanted}",
        "const": lambda: f"{wanted!r}",
        "minimum": lambda: f"at least {wanted}",
        "maximum": lambda: f"at most {wanted}",
        "minItems": lambda: f"at least {wanted} item",
        "minLength": lambda: f"at least {wanted} character",
        "uniqueItems": lambda: "each item once",
        "pattern": lambda: f"text matching {wanted}",
        "required": lambda: "all of " + ", ".join(wanted),
        "additionalProperties": lambda: "only " + ", ".join(sorted(known)),
    }
    return words.get(str(error.validator), lambda: _cut(str(error.message), SAID_MOST))()


def found(error: ValidationError) -> str:
    """What stood there instead, cut short."""
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"no {missing[0]}"
    if error.validator == "additionalProperties":
        unknown = [key for key in error.instance if key not in error.schema.get("properties", {})]
        return f"an unknown key {_cut(unknown[0], SHOWN)!r}"
    return _cut(repr(error.instance), SHOWN)


def validate(document: Any, name: str, file: str, mend: str) -> None:
    """Hold a document against a schema.

    Raises
    ------
    FactsError
        One sentence about the most telling fault.

    Examples
    --------
    >>> validate({"n_values": [0]}, "config", "config.yaml", "correct it")
    Traceback (most recent call last):
    ...
    fusedfacts.errors.FactsError: config.yaml: n_values[0] found 0, expected at least 1; correct it
    """
    # A document with a fault in each of a million items is not read to its end.
    errors = islice(Strict(load(name)).iter_errors(document), FAULTS_READ)
    # A wrong value says more than a missing key; among equals the first in the document.
    worst = sorted(errors, key=lambda error: (error.validator == "required", relevance(error)))
    if worst:
        error = worst[0]
        raise FactsError(
            f"{file}: {where(error)} found {found(error)}, expected {expectation(error)}; {mend}"
        )
