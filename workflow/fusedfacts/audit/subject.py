"""What is audited: the bytes of everything published, read once, before anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json, files, repository, schema
from fusedfacts.errors import FactsError
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests

# No file of the repository may take more than 5 MB; beyond ten times that nothing is read.
LARGEST_FILE = 50_000_000
RESTORE = (
    "restore it with `git checkout media`, or publish again with `make facts`, or your own config"
)


@dataclass(frozen=True)
class Subject:
    """One published folder, or a facts.json alone.

    Attributes
    ----------
    root : Path
        The repository that it should follow from.
    name : str
        How messages call the folder.
    content : mapping of str to bytes
        Every file of the folder by its name within it; only facts.json where that was given alone.
    links : tuple of str
        Names that are links, whose content could change, or empty folders.
    config : dict
        The checked config that it should have been built with.
    crate : bytes or None
        The RO-Crate at the repository's root; none where the folder is not the repository's own.
    """

    root: Path
    name: str
    content: Mapping[str, bytes]
    links: tuple[str, ...]
    config: dict[str, Any]
    crate: bytes | None = None

    @property
    def is_shipped(self) -> bool:
        """Tell whether the config is the repository's own, whose facts README and docs quote."""
        shipped = settings.read(self.root)
        return manifests.effective(self.config) == manifests.effective(shipped)

    @property
    def is_folder(self) -> bool:
        """Tell whether a whole folder was given, and not a facts.json alone."""
        return self.content.keys() != {manifests.FACTS}

    def where(self, name: str) -> str:
        """Name a file as messages do."""
        return f"{self.name}/{name}" if self.is_folder or name != manifests.FACTS else self.name

    def text(self, name: str) -> str:
        """Decode a published text, or say in a sentence why there is none."""
        if name not in self.content:
            raise FactsError(
                f"{self.where(name)}: not found, expected what a run publishes; {RESTORE}"
            )
        try:
            return self.content[name].decode("utf-8")
        except UnicodeDecodeError as fault:
            raise FactsError(
                f"{self.where(name)}: byte {fault.start} is no UTF-8, expected text; {RESTORE}"
            ) from None

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Parse facts.json strictly; it is not yet held against its schema."""
        where = self.where(manifests.FACTS)
        document = canonical_json.loads(self.text(manifests.FACTS), where)
        if not isinstance(document, dict):
            raise FactsError(f"{where}: found no JSON object; {RESTORE}")
        return document

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Parse the manifest, which must fit its schema."""
        where = self.where(manifests.MANIFEST)
        text = self.text(manifests.MANIFEST)
        document: dict[str, Any] = canonical_json.loads(text, where)
        schema.validate(document, "manifest", where, manifests.MEND)
        return document

    @cached_property
    def model(self) -> dict[str, Path]:
        """Locate the files that a run computes from, by path in the config; all must be there."""
        parts = settings.input_parts(self.config)
        found = {part: settings.model_file(self.config[part], self.root) for part in parts}
        settings.require_files(found)
        return {self.config[part]: Path(file) for part, file in found.items()}

    @cached_property
    def inputs(self) -> dict[str, Path]:
        """Locate every file of the tree that the manifest should list."""
        return manifests.inputs(self.root, {path: str(file) for path, file in self.model.items()})


def is_published(facts: Path) -> bool:
    """Tell whether a facts.json is part of a published folder, not a run's result or a copy.

    Only publishing writes SHA256SUMS; the repository's own folder is one whatever is missing.
    """
    beside = all((facts.parent / name).exists() for name in (manifests.MANIFEST, manifests.SUMS))
    own = facts.resolve() == repository.FACTS.resolve()
    return own or (beside and facts.name == manifests.FACTS)


def read(facts: Path, root: Path, config: dict[str, Any]) -> Subject:
    """Read a facts.json, at one moment with everything published beside it (`is_published`)."""
    _read(facts)  # else a sentence that names it as it was given
    facts = facts.resolve()
    folder = facts.parent
    if not is_published(facts):
        content = {manifests.FACTS: _read(facts)}
        return Subject(root, repository.shown(facts), content, (), config)
    # No run may replace some files while the others are read.
    with files.locked(folder, exclusive=False):
        content, links = _contents(folder)
    own = folder.resolve() == (root / repository.FOLDER).resolve()
    path = root / manifests.CRATE
    crate = (_read(path) if path.exists() else b"") if own else None
    return Subject(root, repository.shown(folder), content, links, config, crate)


def _read(path: Path) -> bytes:
    """Read a file of a sensible size: no device, no pipe, nothing huge."""
    if path.is_file() and path.stat().st_size > LARGEST_FILE:
        raise FactsError(f"{path}: found more than {LARGEST_FILE:,} bytes; {RESTORE}")
    return files.read_bytes(path, RESTORE)


def _contents(folder: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Read every file by its name, and list what is no file: links, and empty folders."""
    content, links = {}, []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or (path.is_dir() and not any(path.iterdir())):
            links.append(name)
        elif not path.is_dir():
            content[name] = _read(path)
    return content, tuple(links)
