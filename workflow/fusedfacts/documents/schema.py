"""JSON Schema validation whose complaint is one sentence: where, what, expected, mend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, relevance
from jsonschema.validators import extend

from fusedfacts.documents import canonical_json, repository
from fusedfacts.errors import FactsError, guessed, printable

SCHEMAS = repository.ROOT / "workflow" / "schemas"
FAULTS_READ = 100  # among which the most telling one is told
SHOWN = 60  # characters of a wrong value that a message quotes
SAID_MOST = 400  # characters of a whole expectation, or of a place in a document
# What a failed keyword wanted, in words; `{}` is what the schema says behind it.
EXPECTATIONS = {
    "type": "a value of type {}",
    "enum": "one of {}",
    "const": "{!r}",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} item",
    "minLength": "at least {} character",
    "uniqueItems": "each item once",
    "pattern": "text matching {}",
}


def _pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """To JSON Schema `$` is the end of a text; to Python also what comes before a last newline."""
    if validator.is_type(instance, "string"):
        strict = wanted[:-1] + r"\Z" if wanted.endswith("$") else wanted
        if not re.search(strict, instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")


# JSON Schema counts 64.0 as an integer; a count here is a whole number that is written as one.
TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
Strict = extend(Draft202012Validator, {"pattern": _pattern}, type_checker=TYPES)


def load(name: str) -> dict[str, Any]:
    """Read the schema `name`.schema.json, with its objects closed."""
    schema: dict[str, Any] = closed(canonical_json.read(SCHEMAS / f"{name}.schema.json"))
    return schema


def read(path: Path, name: str, mend: str) -> dict[str, Any]:
    """Read a strict JSON file of a schema, or raise a FactsError."""
    document: dict[str, Any] = canonical_json.read(path, mend)
    validate(document, name, str(path), mend)
    return document


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


def _found_and_expected(error: ValidationError) -> tuple[str, str]:
    """Say what stood there, cut short, and what the failed keyword wanted."""
    keyword, wanted = str(error.validator), error.validator_value
    if keyword == "required":
        missing = next(key for key in wanted if key not in error.instance)
        return f"no {missing}", "all of " + ", ".join(wanted)
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    if keyword == "additionalProperties":
        unknown = next(key for key in error.instance if key not in known)
        guess = guessed(unknown[:SHOWN], known)
        found = f"an unknown key {printable(unknown, SHOWN)!r}{guess}"
        return found, "only " + ", ".join(sorted(known))
    words = EXPECTATIONS.get(keyword)
    expected = words.format(wanted) if words else printable(error.message, SAID_MOST)
    return printable(repr(error.instance), SHOWN), expected


def validate(document: Any, name: str, file: str, mend: str) -> None:
    """Hold a document against a schema.

    Parameters
    ----------
    document : Any
    name : str
        Of the schema (see `load`).
    file : str
        What messages call the document.
    mend : str
        What mends it.

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
        found, expected = _found_and_expected(worst[0])
        steps = worst[0].absolute_path  # as `n_values[0]`
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        where = printable(path.removeprefix("."), SAID_MOST) or "the document"
        raise FactsError(f"{file}: {where} found {found}, expected {expected}; {mend}")
