"""Who may touch the published folder: one run that replaces it, or any number that read it.

The lock is on the folder itself, so none is left behind: the kernel gives it up when its process
ends, however it ends.

A file system that has no such locks refuses them; then nobody waits. Linux locks a folder on NFS
for the processes of one machine, not against those of another. In both cases every file is whole
all the same, and `publish.check` names a mixture; that two runs take turns is then up to whoever
starts them.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fusedfacts.errors import FactsError

# A replacement takes a second at most; who holds the folder longer than this is stopped or stuck.
WAIT_S = 10.0
POLL_S = 0.02  # the kernel can wait by itself, but not for a limited time
WITHOUT_LOCKS = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOLCK, errno.EINVAL}


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """The only process at a folder that exists: to replace what it holds.

    Raises
    ------
    FactsError
        If the folder cannot be opened, or others are at it longer than `WAIT_S`.
    """
    try:
        descriptor = _held(folder, fcntl.LOCK_EX)
    except OSError as fault:
        raise FactsError(
            f"{folder}: cannot be opened ({fault.strerror}), expected a folder to publish to; make"
            " it one that this user may read and write, or name another as `publish_to`"
        ) from None
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def shared(folder: Path) -> Iterator[None]:
    """One of several readers of a folder; where it cannot be opened, reading will say why.

    Raises
    ------
    FactsError
        If a run is replacing it longer than `WAIT_S`.
    """
    try:
        descriptor = _held(folder, fcntl.LOCK_SH)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.close(descriptor)


def _held(folder: Path, kind: int) -> int:
    """A descriptor of the folder with its lock; closing it gives the lock up."""
    deadline = time.monotonic() + WAIT_S
    while True:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if _locked(descriptor, kind) and _still_there(folder, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if time.monotonic() > deadline:
            raise FactsError(
                f"{folder}: found another run that has been publishing or reading here for"
                f" {WAIT_S:.0f} seconds, expected one that takes less; wait until it is done, or"
                " end it, and run again"
            )
        time.sleep(POLL_S)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as fault:
        if fault.errno not in WITHOUT_LOCKS:
            raise
    return True


def _still_there(folder: Path, descriptor: int) -> bool:
    """Whether the path leads to the locked folder and not to one that replaced it meanwhile."""
    try:
        return os.path.samestat(os.stat(folder), os.fstat(descriptor))
    except FileNotFoundError:
        return False
