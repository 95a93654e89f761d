"""manifest.json: the hash of every published file, and of everything that can shape one.

Sources are listed from the folders themselves, so that an archive without its history gives the
same list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import FactsError
from fusedfacts.lesson import assets
from fusedfacts.pipeline import config as settings

FACTS, MANIFEST, SUMS = "facts.json", "manifest.json", "SHA256SUMS"
# Tells registries of workflows of the whole repository, so it lies at the root, not in the folder.
CRATE = "ro-crate-metadata.json"
DEVICES = "devices"  # reports that somebody thought worth keeping: observed, so no run makes them
MEND = "publish again with `make facts`"
# What publishing writes about the files, so that no file may be called so.
WRITTEN = (MANIFEST, SUMS, CRATE)
# The same in manifest.schema.json: nothing that a shell, a URL or `sha256sum` would read otherwise.
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*")

# The workflow's entry, its settings, and every package with its version and hash.
SINGLE = ("Snakefile", "config.yaml", "requirements.txt")
# What other people's kernels answered; a test holds this to what the sections read.
RECORDED = ("tests/real/calls/*.safetensors", "tests/real/recipes/*.toml")
WORKFLOW = "workflow"
# What Python compiles, and hidden files, which no rule reads.
PASSED_OVER = re.compile(r"(^|/)(__pycache__/|\.)")
# Of workflow/, what none of the published bytes comes through: a test asks for the imports of every
# script that computes or publishes. Named one by one, so that a new file is a source until then.
UNPUBLISHED = tuple(
    f"{WORKFLOW}/{name}"
    for name in (
        *("fusedfacts/__main__.py", "fusedfacts/cli/", "fusedfacts/audit/", "fusedfacts/doctor/"),
        *("fusedfacts/device/", "fusedfacts/figures/device.py", "fusedfacts/pipeline/progress.py"),
        *(
            f"fusedfacts/tensor_check/{name}.py"
            for name in [
                *("document", "head", "kernel_text", "served", "several", "standard_input", "text")
            ]
        ),
        *("fusedfacts/publishing/summary.py", "scripts/audit.py", "scripts/device.py"),
        *("scripts/device_pictures.py", "scripts/report.py"),
        *("templates/report.", "templates/claims.", "templates/worked."),
        *(f"schemas/{name}." for name in ("audit", "check", "count", "device", "doctor")),
    )
)
# Settings that name a file.
FILES = (*settings.MODEL_PARTS, "heads")
# What is said of heads changes nothing where there are none.
HEADS = ("heads", "heads_sha256", "heads_causal")
# Where a run happens and what it leaves behind: none of them can change a published byte.
APART = ("adapter", "time_kernels", "publish_to")


def sources(root: Path) -> list[str]:
    """List the files of a repository that can shape a published byte, the model apart.

    Returns
    -------
    list[str]
        Paths from the root, with slashes, sorted.

    Raises
    ------
    FactsError
        If a file is a link, or a folder on the way is.
    """
    paths = [root / name for name in SINGLE]
    paths += [*assets.kernel_files(root), *(root / WORKFLOW).rglob("*")]
    paths += [path for pattern in RECORDED for path in root.glob(pattern)]
    for path in paths:
        # Python prefers a package to a module of its name: a link to a folder could be one, unseen.
        if path.is_symlink():
            raise FactsError(
                f"{path}: found a link, expected a file or a folder of its own; put there what it"
                " points at"
            )
    names = [path.relative_to(root).as_posix() for path in paths if path.is_file()]
    return sorted(
        name for name in names if not name.startswith(UNPUBLISHED) and not PASSED_OVER.search(name)
    )


def inputs(root: Path, model: Mapping[str, str]) -> dict[str, Path]:
    """List every file that a run's published bytes come from, by the name in the manifest.

    Parameters
    ----------
    root : Path
        The repository's root.
    model : Mapping[str, str]
        Where each file of the model lies, by its path in the config.

    Raises
    ------
    FactsError
        If two files would have one name, so that one hash would stand for both.
    """
    found = {name: root / name for name in sources(root)}
    for path, place in model.items():
        name = settings.shown_path(path)
        if name in found:
            raise FactsError(
                f"config: found two inputs that the manifest would name {name}, expected a name for"
                " each; rename the model's file"
            )
        found[name] = Path(place)
    return found


def effective(config: Mapping[str, Any]) -> dict[str, Any]:
    """Select the settings of a run that can change a published byte.

    >>> effective({"seed": 23, "adapter": "any", "probe": "/data/7/probe.txt"})
    {'seed': 23, 'probe': 'probe.txt'}
    """
    return {
        key: settings.shown_path(value) if key in FILES else value
        for key, value in config.items()
        if key not in APART and (config.get("heads") or key not in HEADS)
    }


def build(
    built: Mapping[str, Path],
    inputs: Mapping[str, Path],
    config: Mapping[str, Any],
    crate: Path | None = None,
) -> dict[str, Any]:
    """Hash every file that is to be published, and everything that it came from.

    Parameters
    ----------
    built : Mapping[str, Path]
        What a run built, by name in the published folder.
    inputs : Mapping[str, Path]
        What it read (see `inputs`).
    config : Mapping[str, Any]
        Its settings (see `effective`).
    crate : Path, optional
        The crate that describes the run, if one does.
    """
    return {
        "files": _hashes(built),
        "inputs": _hashes(inputs),
        "config": dict(config),
        **_hashes({"crate": crate} if crate else {}),
    }


def _hashes(paths: Mapping[str, Path]) -> dict[str, str]:
    return {name: files.sha256(files.read_bytes(path, MEND)) for name, path in paths.items()}


def require_names(names: Iterable[str]) -> None:
    """Stop if a file cannot be published under its name.

    Raises
    ------
    FactsError
        If a name has other characters than `SHA256SUMS` and every file system take as they are,
        leads out of the folder, is hidden, or is one of those that publishing itself writes.
    """
    for name in names:
        if not NAME.fullmatch(name) or name in WRITTEN:
            raise FactsError(
                f"{name!r} is not a plain file name: expected letters, digits, `_`, `-` and `.`"
                f" between slashes, no part that begins with a point, and none of"
                f" {', '.join(WRITTEN)}; rename the file"
            )


def read(path: Path) -> dict[str, Any]:
    """Read a manifest; FactsError if it is none, or a name leads out of the folder."""
    return schema.read(path, "manifest", MEND)


def built_by_run(manifest: Mapping[str, Any]) -> list[str]:
    """Name the published files that a run makes: all but device reports."""
    return [name for name in manifest["files"] if not name.startswith(f"{DEVICES}/")]


def sums(manifest: Mapping[str, Any]) -> str:
    """Write what a manifest says of the published files and is itself, as `sha256sum -c` reads it.

    A backslash or a line end in a name would need that tool's escapes. No published name holds
    one, nor a space: the manifest's schema allows letters, digits, `_`, `-`, `.` and `/` alone.

    >>> [line.split()[1] for line in sums({"files": {"n.js": "11", "a.txt": "22"}}).splitlines()]
    ['a.txt', 'manifest.json', 'n.js']
    """
    own = files.sha256(canonical_json.dumps(manifest).encode())
    listed = {**manifest["files"], MANIFEST: own}
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(listed.items()))
