"""Files and folders: hashes, writes that leave a file either old or new, and a lock on a folder."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fusedfacts.documents import canonical_json
from fusedfacts.errors import FactsError

PART = ".part"
# As `tempfile` names them: no other hidden file is ever taken for one.
TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}" + re.escape(PART), re.DOTALL)
# A replacement takes a second at most; who holds the folder longer than this is stopped or stuck.
WAIT_S = 10.0
POLL_S = 0.02  # the kernel can wait by itself, but not for a limited time


def sha256(content: bytes) -> str:
    """Hash some bytes, in hex."""
    return hashlib.sha256(content).hexdigest()


def read_bytes(path: Path, mend: str) -> bytes:
    """Read an input file; FactsError, with the command that brings it back, where it cannot be."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            # To open a pipe would be to wait for a writer.
            raise OSError(errno.EINVAL, "not a regular file")
        return path.read_bytes()
    except (OSError, ValueError) as fault:  # a path may hold a null character
        said = getattr(fault, "strerror", None) or fault
        raise FactsError(f"{path}: cannot be read ({said}); {mend}") from None


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


def mode(path: Path) -> int:
    """Choose a written file's mode: that of the file it replaces, or a new one's by the umask."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o777
    except FileNotFoundError:
        pass
    mask = os.umask(0o077)  # to ask is to set; in between another thread's files are private
    os.umask(mask)
    return 0o666 & ~mask


def stage(path: Path, content: bytes) -> Path:
    """Write what `path` shall hold to a temporary name beside it, down to the disk, for `move`.

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
            os.chmod(temporary, mode(path))
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    return Path(temporary)


def move(temporary: Path, path: Path) -> None:
    """Put what was staged in place: who opens `path` finds the old file or the new one."""
    with writing(path):
        os.replace(temporary, path)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file; where that fails, with a FactsError, the old one is left as it was."""
    temporary = stage(path, content)
    try:
        move(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_json(path: str | Path, value: Any) -> None:
    """Write canonical JSON."""
    write_bytes(Path(path), canonical_json.dumps(value).encode())


def temporaries(folder: Path) -> list[Path]:
    """List what killed runs left of their writing in a folder and below it."""
    return sorted(path for path in folder.rglob(f".*{PART}") if TEMPORARY.fullmatch(path.name))


@contextmanager
def locked(folder: Path, *, exclusive: bool) -> Iterator[None]:
    """Hold a folder's lock: alone, to replace what it holds, or as one of several readers.

    The lock is on the folder itself, so none is left behind: the kernel gives it up when its
    process ends, however it ends. A file system that has no such locks lets everybody in, and NFS
    knows only those of one machine: every file is whole all the same, and a mixture is named.

    Raises
    ------
    FactsError
        If others are at the folder longer than `WAIT_S`, or who writes cannot open it. A reader
        who cannot is told why by what it reads.
    """
    descriptor = None
    with writing(folder) if exclusive else suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    if descriptor is None:
        yield
        return
    try:
        deadline = time.monotonic() + WAIT_S
        while not _took_lock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH):
            if time.monotonic() > deadline:
                raise FactsError(
                    f"{folder}: found another run that has been publishing or reading here for"
                    f" {WAIT_S:.0f} seconds, expected one that takes less; wait until it is done,"
                    " or end it, and run again"
                )
            time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def _took_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # there are no locks here
        return True
    return True
