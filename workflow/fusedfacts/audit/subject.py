"""What is audited: the bytes of everything published, read once, before anything else."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json, files, repository
from fusedfacts.errors import FactsError
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as publish

# No file of the repository may take more than 5 MB; beyond ten times that nothing is read.
LARGEST_FILE = 50_000_000
MOST_FILES = 10_000
MEND = "restore it with `git checkout media`, or publish again with `make facts`"


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
        """Whether the config is the repository's own, whose facts README and docs quote."""
        shipped = settings.read(self.root)
        return publish.effective(self.config) == publish.effective(shipped)

    @property
    def is_own(self) -> bool:
        """Whether it is the repository's own folder, which alone the crate tells of."""
        return self.crate is not None

    @property
    def is_folder(self) -> bool:
        """Whether a whole folder was given, and not a facts.json alone."""
        return self.content.keys() != {publish.FACTS}

    def where(self, name: str) -> str:
        """A file as messages name it."""
        return f"{self.name}/{name}" if self.is_folder or name != publish.FACTS else self.name

    def text(self, name: str) -> str:
        """A published text.

        Raises
        ------
        FactsError
            If it is missing or no UTF-8.
        """
        if name not in self.content:
            raise FactsError(
                f"{self.where(name)}: not found, expected what a run publishes; {MEND}"
            )
        try:
            return self.content[name].decode("utf-8")
        except UnicodeDecodeError as fault:
            raise FactsError(
                f"{self.where(name)}: byte {fault.start} is no UTF-8, expected text; {MEND}"
            ) from None

    @cached_property
    def facts(self) -> dict[str, Any]:
        """facts.json, parsed strictly; not yet held against its schema."""
        document = canonical_json.loads(self.text(publish.FACTS), self.where(publish.FACTS))
        if not isinstance(document, dict):
            raise FactsError(f"{self.where(publish.FACTS)}: found no JSON object; {MEND}")
        return document


def _bytes(path: Path) -> bytes:
    """The bytes of a regular file of a sensible size: no device, no pipe, nothing huge."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise FactsError(f"{path}: found no regular file, expected one; {MEND}")
        if status.st_size > LARGEST_FILE:
            raise FactsError(
                f"{path}: found {status.st_size:,} bytes, expected at most {LARGEST_FILE:,}; {MEND}"
            )
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as fault:
        raise FactsError(f"{path}: cannot be read ({fault.strerror}); {MEND}") from None


def is_published(facts: Path) -> bool:
    """Whether a facts.json is part of a published folder, and not a run's result or a copy.

    Only publishing writes SHA256SUMS; the repository's own folder is one whatever is missing.
    """
    beside = all((facts.parent / name).exists() for name in (publish.MANIFEST, publish.SUMS))
    own = facts.resolve() == repository.FACTS.resolve()
    return own or (beside and facts.name == publish.FACTS)


def read(facts: Path, root: Path, config: dict[str, Any]) -> Subject:
    """Everything published beside a facts.json, at one moment.

    Parameters
    ----------
    facts : Path
        facts.json of a published folder, or one alone (see `is_published`).
    root : Path
        The repository.
    config : dict
        The config that it should be of.

    Raises
    ------
    FactsError
        If a file cannot be read.
    """
    try:
        facts = facts.resolve(strict=True)
    except (OSError, RuntimeError) as fault:
        said = getattr(fault, "strerror", None) or "a link that leads to itself"
        raise FactsError(f"{facts}: cannot be read ({said}); {MEND}") from None
    folder, name = facts.parent, repository.shown(facts)
    if not is_published(facts):
        return Subject(root, name, {publish.FACTS: _bytes(facts)}, (), config)
    # No run may replace some files while the others are read.
    with files.locked(folder, exclusive=False):
        content, links = _contents(folder)
    described = folder.resolve() == (root / repository.FOLDER).resolve()
    place = root / publish.CRATE
    crate = (_bytes(place) if place.exists() else b"") if described else None
    return Subject(root, repository.shown(folder), content, links, config, crate)


def _contents(folder: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Every file by its name, and the names of what is no file: links, and empty folders."""
    content, links = {}, []
    for count, path in enumerate(sorted(folder.rglob("*"))):
        if count > MOST_FILES:
            raise FactsError(
                f"{folder}: found more than {MOST_FILES:,} files, expected what a run publishes;"
                " name the folder that it publishes to"
            )
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or (path.is_dir() and not any(path.iterdir())):
            links.append(name)
        elif not path.is_dir():
            content[name] = _bytes(path)
    return content, tuple(links)
