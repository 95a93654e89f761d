"""A safetensors file from a stranger: what it holds, and parts of it, without believing it.

Nothing is allocated or read because a header says so. The `safetensors` package checks that the
tensors cover the file exactly; what it takes without a word (a name twice, a header of many
megabytes) is refused here. It cannot read bfloat16 into NumPy, and of a file that was cut meanwhile
it reads zeros, so the data are read here, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from safetensors import SafetensorError, safe_open

from fusedfacts import errors
from fusedfacts.errors import FactsError

LENGTH_BYTES = 8  # a header's length stands before it
# Four tensors take about 400 bytes; a trainer's metadata may take some thousands.
HEADER_MOST = 2**20
PACKAGE_SAYS = "Error while deserializing header: "
SAID_MOST = 200  # characters of what the package says, which may quote the file at any length
FIX = (
    "write it with safetensors' own save_file, each array made by np.ascontiguousarray, or choose"
    " another file"
)
FIX_TARGET = "choose another name"


class Entry(NamedTuple):
    """One tensor: its type as safetensors names it, its shape, its first byte in the file."""

    dtype: str
    shape: tuple[int, ...]
    start: int


class Source:
    """An open file whose header has been checked."""

    def __init__(self, file: BinaryIO, name: str, entries: dict[str, Entry]) -> None:
        self._file, self.name, self.entries = file, name, entries

    def part(self, entry: Entry, first: int, count: int) -> bytes:
        """Read bytes `first` to `first + count` of a tensor, whoever else reads meanwhile."""
        found, start = b"", entry.start + first
        with _doing("read", self.name, FIX):
            # One read gives two gigabytes at most.
            while len(found) < count and (
                more := os.pread(self._file.fileno(), count - len(found), start + len(found))
            ):
                found = found + more if found else more
        if len(found) < count:
            raise FactsError(
                f"{self.name}: found {len(found)} bytes where {count} were a moment ago, expected"
                " a file that nobody writes to; run again once it is written"
            )
        return found


@contextmanager
def _doing(verb: str, name: str, fix: str) -> Iterator[None]:
    """Turn what the system says of a file into a sentence."""
    try:
        yield
    except OSError as fault:
        raise FactsError(f"{name}: cannot be {verb} ({fault.strerror}); {fix}") from None


@contextmanager
def opened(path: Path, name: str | None = None) -> Iterator[Source]:
    """Open a safetensors file and check its header; messages call it by its `name`, if any.

    Raises
    ------
    FactsError
        If it is no regular file, cannot be read, is too large, or is not safetensors.
    """
    name = name or errors.printable(str(path))
    with _doing("read", name, FIX):
        _check_kind(path, name)
        file = path.open("rb")
    with file:
        with _doing("read", name, FIX):
            entries = _entries(path, file, name)
        yield Source(file, name, entries)


def _check_kind(path: Path, name: str) -> None:
    """To open a pipe would be to wait for somebody who writes to it."""
    path.stat()  # or say what the system says
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "something that is no plain file"
        raise FactsError(f"{name}: found {kind}, expected a safetensors file; {FIX}")


def _entries(path: Path, file: BinaryIO, name: str) -> dict[str, Entry]:
    length = int.from_bytes(file.read(LENGTH_BYTES), "little")
    if HEADER_MOST < length <= path.stat().st_size:
        raise FactsError(
            f"{name}: found a header of {length} bytes, expected at most {HEADER_MOST}; leave out"
            " its metadata"
        )
    try:
        with safe_open(path, "numpy"):  # checks the header
            header = json.loads(file.read(length), object_pairs_hook=_each_once)
    except SafetensorError as fault:
        said = errors.printable(str(fault).removeprefix(PACKAGE_SAYS), SAID_MOST)
        raise FactsError(f"{name}: found no safetensors file ({said}); {FIX}") from None
    except ValueError:
        raise FactsError(
            f"{name}: found a header that is not strict JSON, with each name once, or not that of"
            f" a safetensors file; {FIX}"
        ) from None
    header.pop("__metadata__", None)
    data = LENGTH_BYTES + length
    return {
        key: Entry(value["dtype"], tuple(value["shape"]), data + value["data_offsets"][0])
        for key, value in header.items()
    }


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The package takes the last of two equal names without a word."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name twice")
    return found


def check_target(path: Path, source: Path) -> None:
    """Refuse to write where it would cost somebody a file, before anything is computed.

    Raises
    ------
    FactsError
        If it is the input, by whatever name, something that is no plain file, or in no folder.
    """
    with _doing("written", str(path), FIX_TARGET):
        folder = path.parent.is_dir()
        there, plain = path.exists(), path.is_file()
        same = there and path.samefile(source)
    if not folder:
        raise FactsError(
            f"{path}: cannot be written, as {path.parent} is not found or no folder, expected one"
            f" that is there; make it, or {FIX_TARGET}"
        )
    if same:
        raise FactsError(f"{path}: found the input itself, expected another file; {FIX_TARGET}")
    if there and not plain:
        raise FactsError(
            f"{path}: found something that is no plain file, expected a new name or a file to"
            f" replace; {FIX_TARGET}"
        )
