"""The config, checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fusedfacts.documents import files, repository, schema
from fusedfacts.errors import FactsError

MEND = "correct it in config.yaml, --configfile or --config"
# The model's files: each key names one, and `<key>_sha256` its hash.
MODEL_PARTS = ("weights", "vocabulary", "held_out", "probe")
# Settings that shape the numbers, and so are repeated in facts.json.
SETTINGS = (
    *("n_values", "head_dims", "seed", "control_key_rows", "model_key_rows"),
    *("online_rows", "online_length", "record_rows", "record_lengths"),
)


def input_parts(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the keys of the files that a run computes from: the model's, and heads if it has some.

    >>> input_parts({"heads": "q.safetensors"})[-1], input_parts({"heads": ""})[-1]
    ('heads', 'probe')
    """
    return (*MODEL_PARTS, "heads") if config["heads"] else MODEL_PARTS


def plain(value: Any) -> Any:
    """Copy to exact Python types, whatever mapping or list types Snakemake uses."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def meant(value: Any, kind: str | None) -> Any:
    """Read a value as `--config key=value` means it, where Snakemake took it for another kind.

    >>> meant("true", "boolean"), meant(4090, "string"), meant("x", "integer")
    (True, '4090', 'x')
    """
    if kind == "boolean" and value in ("true", "false"):
        return bool(value == "true")
    if kind == "string" and value is None:  # `heads:` with nothing behind it
        return ""
    if kind == "string" and type(value) in (int, float):
        return str(value)
    return value


def checked(config: Any) -> dict[str, Any]:
    """Check the config and copy it to plain types.

    >>> checked({"seed": "x"})
    Traceback (most recent call last):
    ...
    fusedfacts.errors.FactsError: config: seed found 'x', expected a value of type integer; \
correct it in config.yaml, --configfile or --config
    """
    found: Any = plain(config)
    if isinstance(found, dict):
        declared = schema.load("config")["properties"]
        kinds = {key: node.get("type") for key, node in declared.items()}
        found = {key: meant(value, kinds.get(key)) for key, value in found.items()}
    schema.validate(found, "config", "config", MEND)
    settings: dict[str, Any] = found
    if settings["film"]:
        _require_film_sizes(settings)
    if settings["heads"]:
        _require_heads(settings)
    return settings


def _require_heads(config: dict[str, Any]) -> None:
    """Stop if heads have no hash, or would be published where the shipped facts are."""
    if not config["heads_sha256"]:
        raise FactsError(
            "config: heads_sha256 found empty, expected the SHA-256 of the file that `heads` names;"
            f" take it from `sha256sum {config['heads']}`"
        )
    folder = config["publish_to"]
    if os.path.normpath(folder) == repository.FOLDER or _same(folder, repository.PUBLISHED):
        raise FactsError(
            f"config: publish_to found {folder}, the folder of the shipped facts, expected one of"
            " your own where `heads` names a file; set publish_to"
        )


def _same(one: str, other: Path) -> bool:
    return Path(one).resolve() == other.resolve()


def _require_film_sizes(config: dict[str, Any]) -> None:
    """Stop if the film would speak of sizes that are not swept."""
    sweeps = {"film_words": "n_values", "film_wide": "head_dims", "film_narrow": "head_dims"}
    for key, swept in sweeps.items():
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


def read(root: Path, configs: Sequence[Path] = ()) -> dict[str, Any]:
    """Read config.yaml with what other files override, checked."""
    merged: dict[str, Any] = {}
    import yaml  # which only a clone has

    for path in (root / "config.yaml", *configs):
        text = files.read_bytes(path, "name an existing config")
        try:
            found = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError) as fault:  # of a date that is none, of other encodings
            said = " ".join(str(fault).split())[:200]
            raise FactsError(f"{path}: found no YAML ({said}), expected settings; {MEND}") from None
        if not isinstance(found, dict):
            raise FactsError(f"{path}: found no settings, expected `key: value` lines; {MEND}")
        for key in (key for key, value in found.items() if isinstance(value, dict)):
            raise FactsError(
                f"{path}: found settings below {key!r}, as a workflow that imports this one has"
                " them, expected them at the top; copy those to a file of their own, or audit that"
                f" workflow's facts by `snakemake --cores 4 {key}_audit`"
            )
        merged |= found
    return checked(merged)


def filled(config: Any, shipped: dict[str, Any]) -> Any:
    """Add to a config what it leaves out, as shipped; what is no config stays for `checked`.

    >>> filled({"seed": 7}, {"seed": 23, "adapter": "any"})
    {'seed': 7, 'adapter': 'any'}
    """
    return {**shipped, **config} if isinstance(config, dict) else config


def model_file(path: str, repository: Path) -> str:
    """Find a model file: a relative path is of the working directory, else of `repository`.

    Which of the two it was does not matter to the numbers: the config holds the file's hash.
    """
    for folder in (Path.cwd(), repository):
        if os.path.isfile(folder / path):  # unlike Path's, false for a name too long for any file
            return str(folder / path)
    return path


def shown_path(path: str) -> str:
    """Shorten a path to what facts.json and the manifest show.

    One that leads out of the folder is of one machine, so it is shown by name alone.

    >>> shown_path("model/probe.txt"), shown_path("/data/7/probe.txt"), shown_path("../probe.txt")
    ('model/probe.txt', 'probe.txt', 'probe.txt')
    """
    outside = Path(path).is_absolute() or ".." in Path(path).parts
    return Path(path).name if outside else path


def require_library(folder: Path) -> None:
    """Stop if another copy of this library was imported first: its numbers would be another's."""
    found = Path(__file__).parents[2]
    if found.resolve() != folder.resolve():
        raise FactsError(
            f"{folder}: found the library of {found} already imported, expected one copy of this"
            " pipeline in a workflow; import every module from the same Snakefile"
        )


def require_files(paths: Mapping[str, str]) -> None:
    """Stop before anything runs if a model file is missing: finished results would hide it."""
    for key, path in paths.items():
        if not os.path.isfile(path):
            raise FactsError(
                f"{path}: not found, expected the file that `{key}` names, in the working directory"
                f" or in the pipeline's repository; {mend_file(path)}"
            )


def mend_file(path: str) -> str:
    """Say what brings a file of the config back; only the shipped ones are in the repository.

    >>> mend_file("/data/weights.safetensors")
    'name the right one in the config'
    >>> mend_file("model/probe.txt")
    'restore it with `git checkout model`, or name another in the config'
    """
    folder = (repository.ROOT / path).parent.resolve()
    if folder == repository.ROOT.resolve() / "model":
        return "restore it with `git checkout model`, or name another in the config"
    return "name the right one in the config"


def settings(config: dict[str, Any]) -> dict[str, Any]:
    """Select the settings that shape the numbers."""
    return {key: config[key] for key in SETTINGS}
