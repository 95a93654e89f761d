"""What the published bytes came from: every file that shaped them, and the settings of the run.

Listed from the folders themselves, so that an archive without its history gives the same list.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError
from fusedfacts.lesson import assets
from fusedfacts.pipeline import config as settings

# The workflow's entry, its settings, and every package with its version and hash.
SINGLE = ("Snakefile", "config.yaml", "requirements.txt")
WORKFLOW = "workflow"
# Where a run happens and what it leaves behind: none of them can change a published byte.
APART = ("adapter", "time_kernels", "publish_to")
MANIFEST = "manifest.json"
# Tells registries of workflows of the whole repository, so it lies at the root, not in the folder.
CRATE = "ro-crate-metadata.json"


def sources(root: Path) -> list[str]:
    """Names of the files of a repository that compute, the model apart, sorted.

    Left out are what Python compiles (`__pycache__`) and hidden files, which no rule reads.

    Parameters
    ----------
    root : Path
        The repository's root; no version control is needed.

    Returns
    -------
    list[str]
        Paths from the root, with slashes.

    Raises
    ------
    FactsError
        If one of them is a link, or a folder on the way is.
    """
    paths = [root / name for name in SINGLE]
    paths += [*root.glob(assets.KERNELS), *(root / WORKFLOW).rglob("*")]
    for path in paths:
        # Python prefers a package to a module of its name: a link to a folder could be one, unseen.
        if path.is_symlink():
            raise FactsError(
                f"{path}: found a link, expected a file or a folder of its own; put there what it"
                " points at"
            )
    names = [path.relative_to(root) for path in paths if path.is_file()]
    return sorted(
        name.as_posix()
        for name in names
        if "__pycache__" not in name.parts and not any(part[0] == "." for part in name.parts)
    )


def inputs(root: Path, model: Mapping[str, str]) -> dict[str, Path]:
    """Every file that a run's published bytes came from, by the name that the manifest gives it.

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
    """The settings of a run, without those that cannot change a published byte.

    >>> effective({"seed": 23, "adapter": "any", "probe": "/data/7/probe.txt"})
    {'seed': 23, 'probe': 'probe.txt'}
    """
    return {
        key: settings.shown_path(value) if key in settings.MODEL_PARTS else value
        for key, value in config.items()
        if key not in APART
    }


def hashes(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The hash of every file that a manifest says lies beside it, by name."""
    return dict(manifest["files"])


def sums(manifest: Mapping[str, Any]) -> str:
    """What a manifest says of the published files and is itself, as `sha256sum -c` reads it.

    A backslash or a line end in a name would need that tool's escapes. No published name holds
    one, nor a space: the manifest's schema allows letters, digits, `_`, `-`, `.` and `/` alone.

    >>> [line.split()[1] for line in sums({"files": {"n.js": "11", "a.txt": "22"}}).splitlines()]
    ['a.txt', 'manifest.json', 'n.js']
    """
    own = files.sha256(canonical_json.dumps(manifest).encode())
    listed = {**hashes(manifest), MANIFEST: own}
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(listed.items()))
