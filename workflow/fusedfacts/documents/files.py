"""Files at the edge: hashes, and writes that leave a file either old or new, never half."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json
from fusedfacts.errors import FactsError

PART = ".part"
# As `tempfile` names them: no other hidden file is ever taken for one.
TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}" + re.escape(PART), re.DOTALL)


def sha256(content: bytes) -> str:
    """The hash of some bytes, in hex."""
    return hashlib.sha256(content).hexdigest()


def read_bytes(path: Path, mend: str, most: int | None = None) -> bytes:
    """The bytes of an input file.

    Parameters
    ----------
    path : Path
    mend : str
        The command that brings it back.
    most : int, optional
        How many bytes are taken into memory of a file that may be a stranger's.

    Raises
    ------
    FactsError
        Where it cannot be read, or is larger.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            # To open a pipe would be to wait for a writer.
            raise OSError(errno.EINVAL, "not a regular file")
        with path.open("rb") as file:
            content = file.read() if most is None else file.read(most + 1)
    except (OSError, ValueError) as fault:  # a path may hold a null character
        said = getattr(fault, "strerror", None) or fault
        raise FactsError(f"{path}: cannot be read ({said}); {mend}") from None
    if most is not None and len(content) > most:
        raise FactsError(f"{path}: found more than {most} bytes, expected at most that; {mend}")
    return content


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says of a write into a sentence about `path`."""
    try:
        yield
    except OSError as fault:
        raise FactsError(
            f"{path}: cannot be written ({fault.strerror}); make the folder writable, or free"
            " space on its disk, and run again"
        ) from None


def stage(path: Path, content: bytes) -> Path:
    """Write what `path` shall hold to a temporary name beside it, down to the disk.

    Returns
    -------
    Path
        The temporary, for `move`.

    Raises
    ------
    FactsError
        Where the folder cannot be written or the disk is full; nothing is left of the temporary.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    return Path(temporary)


def move(temporary: Path, path: Path) -> None:
    """Put what was staged in place: who opens `path` finds the old file or the new one.

    Raises
    ------
    FactsError
        Where that fails; the temporary is still there.
    """
    with writing(path):
        os.replace(temporary, path)


def write_bytes(path: Path, content: bytes) -> None:
    """Write to a temporary name beside `path` and move it into place.

    Raises
    ------
    FactsError
        Where the folder cannot be written or the disk is full; the old file is left as it was.
    """
    temporary = stage(path, content)
    try:
        move(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def temporaries(folder: Path) -> list[Path]:
    """What killed runs left of their writing in a folder and below it."""
    return sorted(path for path in folder.rglob(f".*{PART}") if TEMPORARY.fullmatch(path.name))


def sync(folder: Path) -> None:
    """Bring the names in a folder to the disk, where its file system knows how to.

    A file's own `fsync` saves its bytes. Which names it has is the folder's: without this a power
    cut may undo a move that was made before another which it leaves standing.
    """
    with writing(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        except OSError as fault:
            if fault.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)


def write_json(path: str | Path, value: Any) -> None:
    """Write canonical JSON."""
    write_bytes(Path(path), canonical_json.dumps(value).encode())
