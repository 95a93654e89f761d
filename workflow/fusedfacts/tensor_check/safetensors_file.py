"""A safetensors file from a stranger: what it holds, and parts of it, without believing it.

Nothing is allocated or read because a header says so. The file's own size bounds the header, the
`safetensors` package checks that the tensors cover the rest of the file exactly, and what it does
not check (a name twice, a header of many megabytes) is checked here. Data is read by parts.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from fusedfacts import errors
from fusedfacts.errors import FactsError

LENGTH_BYTES = 8  # a header's length stands before it
# Four tensors take about 400 bytes; a trainer's metadata may take some thousands.
HEADER_MOST = 2**20
# Four float32 tensors of eight heads, each head of the longest sequence at d = 128: 2 GiB, twice.
FILE_MOST = 2**32
PACKAGE_SAYS = "Error while deserializing header: "
SAID_MOST = 200  # characters of what the package says, which may quote the file at any length
MEND = "write it with safetensors' own save_file, or choose another file"


@dataclass(frozen=True)
class Entry:
    """Where one tensor lies.

    Attributes
    ----------
    dtype : str
        As safetensors names it: "F32", "BF16", ...
    shape : tuple of int
    start, size : int
        First byte in the file, and how many.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    size: int


class Source:
    """An open file whose header has been checked; see `opened`."""

    def __init__(self, handle: int, path: Path, entries: dict[str, Entry]) -> None:
        self._handle, self.name, self.entries = handle, shown(path), entries

    def part(self, entry: Entry, first: int, count: int) -> bytes:
        """Bytes `first` to `first + count` of a tensor.

        Raises
        ------
        FactsError
            If they cannot be read, or the file has shrunk since it was opened.
        """
        try:
            found = _whole(self._handle, entry.start + first, count)
        except OSError as fault:
            raise FactsError(f"{self.name}: cannot be read ({fault.strerror}); {MEND}") from None
        if len(found) < count:
            raise FactsError(
                f"{self.name}: found {len(found)} bytes where {count} were a moment ago, expected"
                " a file that nobody writes to; run again once it is written"
            )
        return found


def shown(path: Path) -> str:
    """A path as messages show it."""
    return errors.printable(os.fspath(path))


def _whole(handle: int, start: int, count: int) -> bytes:
    """Up to `count` bytes; the system may hand them over in pieces."""
    pieces: list[bytes] = []
    while count > 0 and (piece := os.pread(handle, count, start)):
        pieces.append(piece)
        start, count = start + len(piece), count - len(piece)
    return b"".join(pieces)


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """Open a safetensors file and check its header.

    Raises
    ------
    FactsError
        If it is no regular file, cannot be read, is too large, or is not safetensors.
    """
    name = shown(path)
    try:
        # Without O_NONBLOCK a pipe would wait for somebody to write to it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        raise FactsError(f"{name}: cannot be read ({fault.strerror}); {MEND}") from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "something that is no plain file"
            raise FactsError(f"{name}: found {kind}, expected a safetensors file; {MEND}")
        if found.st_size > FILE_MOST:
            raise FactsError(
                f"{name}: found {found.st_size} bytes, expected at most {FILE_MOST}; cut it into"
                " files of fewer heads"
            )
        yield Source(handle, path, _entries(path, handle, found.st_size))
    finally:
        os.close(handle)


def _entries(path: Path, handle: int, size: int) -> dict[str, Entry]:
    name = shown(path)
    try:
        length = int.from_bytes(_whole(handle, 0, LENGTH_BYTES), "little")
        if HEADER_MOST < length <= size:
            raise FactsError(
                f"{name}: found a header of {length} bytes, expected at most {HEADER_MOST}; leave"
                " out its metadata"
            )
        with safe_open(path, "numpy") as checked:
            names = set(checked.keys())
        header = _parsed(_whole(handle, LENGTH_BYTES, length))
    except SafetensorError as fault:
        said = errors.printable(str(fault).removeprefix(PACKAGE_SAYS), SAID_MOST)
        raise FactsError(f"{name}: found no safetensors file ({said}); {MEND}") from None
    except OSError as fault:
        raise FactsError(f"{name}: cannot be read ({fault.strerror}); {MEND}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FactsError(
            f"{name}: found a header that is not strict JSON, with each name once, or not that of"
            f" a safetensors file; {MEND}"
        ) from None
    data = LENGTH_BYTES + length
    entries = {
        key: Entry(
            str(value["dtype"]),
            tuple(value["shape"]),
            data + value["data_offsets"][0],
            value["data_offsets"][1] - value["data_offsets"][0],
        )
        for key, value in header.items()
    }
    if set(entries) != names:
        raise FactsError(f"{name}: found another header than a moment ago; run again")
    return entries


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name twice")
    return found


def _parsed(text: bytes) -> dict[str, Any]:
    """The header's tensors. The package takes the last of two equal names without a word."""
    header: dict[str, Any] = json.loads(text.decode(), object_pairs_hook=_once)
    header.pop("__metadata__", None)
    return header
