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
    if found["film"]:
        _require_film_sizes(found)
    return found


def _require_film_sizes(config: dict[str, Any]) -> None:
    """The film can only speak of sizes that were swept."""
    for key, swept in (
        ("film_words", "n_values"),
        ("film_wide", "head_dims"),
        ("film_narrow", "head_dims"),
    ):
        if config[key] not in config[swept]:
            raise FactsError(
                f"config: {key} found {config[key]}, expected one of {swept}, {config[swept]}; add"
                f" it there, or set `film: false` to publish without captions and transcript"
            )
    if not config["film_narrow"] < config["film_wide"]:
        raise FactsError(
            f"config: film_narrow found {config['film_narrow']}, expected less than film_wide,"
            f" {config['film_wide']}; {MEND}"
        )


def filled(config: Any, shipped: dict[str, Any]) -> Any:
    """The config, with what it leaves out as shipped; what is no config stays for `checked`.

    >>> filled({"seed": 7}, {"seed": 23, "adapter": "any"})
    {'seed': 7, 'adapter': 'any'}
    """
    return {**shipped, **config} if isinstance(config, dict) else config


def model_file(path: str, repository: Path) -> str:
    """Where a model file lies: a relative path is of the working directory, else of `repository`.

    Which of the two it was does not matter to the numbers: the config holds the file's hash.
    """
    for folder in (Path.cwd(), repository):
        if (folder / path).is_file():
            return str(folder / path)
    return path


def shown_path(path: str) -> str:
    """A path as facts.json shows it: an absolute one, which is of one machine, by name alone.

    >>> shown_path("model/probe.txt"), shown_path("/data/7/probe.txt")
    ('model/probe.txt', 'probe.txt')
    """
    return Path(path).name if Path(path).is_absolute() else path


def require_library(folder: Path) -> None:
    """Stop if another copy of this library was imported first: its numbers would be another's.

    Raises
    ------
    FactsError
        Naming both.
    """
    found = Path(__file__).parents[1]
    if found.resolve() != folder.resolve():
        raise FactsError(
            f"{folder}: found the library of {found} already imported, expected one copy of this"
            " pipeline in a workflow; import every module from the same Snakefile"
        )


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
                f"{path}: not found, expected the file that `{key}` names, in the working directory"
                " or in the pipeline's repository; restore it with `git checkout model`, or name"
                " another in config.yaml"
            )


def settings(config: dict[str, Any]) -> dict[str, Any]:
    """The settings that shape the numbers."""
    return {key: config[key] for key in SETTINGS}
