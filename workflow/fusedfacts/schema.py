"""JSON Schema validation whose complaint is one sentence: where, what, expected, mend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, relevance
from jsonschema.validators import extend

from fusedfacts import canonical_json
from fusedfacts.errors import FactsError

SCHEMAS = Path(__file__).parents[1] / "schemas"
# JSON Schema counts 64.0 as an integer; a count here is a whole number that is written as one.
Strict = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: type(value) is int
    ),
)
SHOWN = 60  # characters of a wrong value that a message quotes


def load(name: str) -> dict[str, Any]:
    """The schema `name`.schema.json."""
    schema: dict[str, Any] = canonical_json.read(SCHEMAS / f"{name}.schema.json")
    return schema


def where(error: ValidationError) -> str:
    """The path of a wrong value: `n_values[0]`, or the document itself."""
    path = ""
    for step in error.absolute_path:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.lstrip(".") or "the document"


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
    return words.get(str(error.validator), lambda: str(error.message))()


def found(error: ValidationError) -> str:
    """What stood there instead, cut short."""
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"no {missing[0]}"
    if error.validator == "additionalProperties":
        unknown = [key for key in error.instance if key not in error.schema.get("properties", {})]
        return f"an unknown key {unknown[0]!r}"
    text = repr(error.instance)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


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
    errors = Strict(load(name)).iter_errors(document)
    # A wrong value says more than a missing key; among equals the first in the document.
    worst = sorted(errors, key=lambda error: (error.validator == "required", relevance(error)))
    if worst:
        error = worst[0]
        raise FactsError(
            f"{file}: {where(error)} found {found(error)}, expected {expectation(error)}; {mend}"
        )
