"""The config, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fusedfacts import schema
from fusedfacts.errors import FactsError

MEND = "correct it in config.yaml, --configfile or --config"
# Settings that shape the numbers, and so are repeated in facts.json.
SETTINGS = (
    "n_values",
    "head_dims",
    "seed",
    "control_key_rows",
    "model_key_rows",
    "online_rows",
    "online_length",
    "record_rows",
    "record_lengths",
)


def plain(value: Any) -> Any:
    """A copy of exact Python types, whatever mapping or list types Snakemake uses."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def meant(key: str, value: Any) -> Any:
    """A value as `--config key=value` means it: Snakemake reads `true` as text, 4090 as a number.

    >>> meant("time_kernels", "true"), meant("adapter", 4090), meant("seed", "x")
    (True, '4090', 'x')
    """
    kind = schema.load("config")["properties"].get(key, {}).get("type")
    if kind == "boolean" and value in ("true", "false"):
        return bool(value == "true")
    if kind == "string" and type(value) in (int, float):
        return str(value)
    return value


def checked(config: Any) -> dict[str, Any]:
    """The config as plain types, if it is one.

    Raises
    ------
    FactsError
        One sentence naming the key, what was found and what is allowed.

    Examples
    --------
    >>> checked({"seed": "x"})
    Traceback (most recent call last):
    ...
    fusedfacts.errors.FactsError: config: seed found 'x', expected a value of type integer; \
correct it in config.yaml, --configfile or --config
    """
    found = plain(config)
    if isinstance(found, dict):
        found = {key: meant(key, value) for key, value in found.items()}
    schema.validate(found, "config", "config", MEND)
    if not isinstance(found, dict):
        raise FactsError(f"config: found {found!r}, expected keys and values; {MEND}")
    return found


def require_files(paths: Mapping[str, str]) -> None:
    """Stop before anything runs if a model file is missing: finished results would hide it.

    Raises
    ------
    FactsError
        Naming the config key and the file.
    """
    for key, path in paths.items():
        if not Path(path).is_file():
            raise FactsError(
                f"{path}: not found, expected the file that `{key}` names; restore it with"
                " `git checkout model`, or name another in config.yaml"
            )


def settings(config: dict[str, Any]) -> dict[str, Any]:
    """The settings that shape the numbers."""
    return {key: config[key] for key in SETTINGS}
