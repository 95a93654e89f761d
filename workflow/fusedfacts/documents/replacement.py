"""Many files of a folder replaced so that a kill, a full disk or a power cut is seen and mended.

First everything is written beside what it replaces, the last file before all others. What fails
there, and a full disk does, has changed nothing. Then all is moved into place, which needs no
space, and the last file at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from fusedfacts.documents import files
from fusedfacts.errors import FactsError


def replace(folder: Path, content: Mapping[str, bytes], last: str, gone: Iterable[str]) -> None:
    """Put files into a folder, take others away, and then put the last one.

    A file that is there already, byte for byte, is left alone.

    Parameters
    ----------
    folder : Path
        Where; it exists, and the caller holds its lock.
    content : Mapping[str, bytes]
        The files by name within the folder; `last` is one of them.
    last : str
        The file that says what the others are.
    gone : Iterable[str]
        Names that are no more.

    Raises
    ------
    FactsError
        If a file cannot be written: while everything is still being written, the folder is as it
        was before.
    """
    others = sorted(
        name
        for name, data in content.items()
        if name != last and _digest(folder / name) != files.sha256(data)
    )
    staged: dict[str, Path] = {}
    try:
        for name in (last, *others):
            staged[name] = files.stage(folder / name, content[name])
        # From here on the new `last` stays where it is until it moves, whatever happens: it tells
        # the next run which files this one may have put here.
        ready = staged.pop(last)
        for name in others:
            files.move(staged[name], folder / name)
            del staged[name]
    except BaseException:
        for temporary in staged.values():
            with suppress(OSError):  # the fault that led here is the one to tell
                temporary.unlink()
        _prune(folder, others)
        raise
    remove(folder, gone)
    # A power cut may undo any move that the folder's own sync has not saved, so without these the
    # last file could be the only one that stays.
    for place in _places(folder, content):
        files.sync(place)
    files.move(ready, folder / last)
    files.sync(folder)


def recover(
    folder: Path, last: str, known: set[str], listed: Callable[[Path], Mapping[str, str]]
) -> None:
    """Take away what a killed run left: its temporaries, and files that nothing speaks for.

    Parameters
    ----------
    folder : Path
        Where; the caller holds its lock.
    last : str
        The file that a replacement stages first and moves last.
    known : set[str]
        Names that the one in place lists: those stay.
    listed : Callable[[Path], Mapping[str, str]]
        The hashes that such a file lists, by name. What a staged one lists and nobody knows is
        there because of the killed run alone, if it is the very file.

    Raises
    ------
    FactsError
        If something cannot be deleted.
    """
    left = files.temporaries(folder)
    for path in left:
        if path.parent == folder and path.name.startswith(f".{last}."):
            try:
                begun = listed(path)
            except FactsError:
                continue  # killed while it wrote this, so before it moved anything
            unknown = [name for name in begun if name not in known]
            remove(folder, [name for name in unknown if _digest(folder / name) == begun[name]])
    remove(folder, [path.relative_to(folder).as_posix() for path in left])


def _digest(path: Path) -> str:
    """The hash of a file; of what is none, or cannot be read, nothing that is one."""
    try:
        return "" if path.is_symlink() else files.sha256(path.read_bytes())
    except OSError:
        return ""


def remove(folder: Path, names: Iterable[str]) -> None:
    """Delete files of a folder, and folders within it that are then empty.

    Raises
    ------
    FactsError
        If one cannot be deleted.
    """
    names = sorted(names)
    for name in names:
        path = folder / name
        if path.is_file() or path.is_symlink():
            with files.writing(path):
                path.unlink()
    _prune(folder, names)


def _places(folder: Path, names: Iterable[str]) -> list[Path]:
    """The folder and those within it that the names lead through, the deepest first."""
    parents = {parent for name in names for parent in Path(name).parents}
    return [folder / place for place in sorted(parents, key=lambda p: (-len(p.parts), p))]


def _prune(folder: Path, names: Iterable[str]) -> None:
    """Delete folders that the names led through and that hold nothing now."""
    for place in _places(folder, names):
        if place != folder:
            with suppress(OSError):  # the system itself refuses where one still holds something
                place.rmdir()
