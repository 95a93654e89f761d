"""Standard input as a private file, read no further than its own header says."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fusedfacts.documents import files
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check.safetensors_file import HEADER_MOST, LENGTH_BYTES

WORD, NAME = "-", "standard input"
# A longer one is better named as a file: a copy of it has to fit the disk of temporary files.
BYTES_MOST = 2**32
PART = 2**20  # bytes that are in memory at a time


@contextmanager
def spooled() -> Iterator[Path]:
    """Copy standard input to a file that only its owner can read, and that is gone afterwards."""
    if sys.stdin is None or sys.stdin.isatty():
        raise FactsError(
            f"{NAME}: found a terminal or nothing, expected a safetensors file; pipe one into it,"
            " or name a file"
        )
    stream = sys.stdin.buffer
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as copy:
        with files.writing(Path(copy.name)):
            _copy(stream, copy)
            copy.flush()
        yield Path(copy.name)


def _copy(stream: BinaryIO, copy: BinaryIO | tempfile._TemporaryFileWrapper[bytes]) -> None:
    """Copy what the header speaks of, and one byte more, by which too much is seen."""
    start = stream.read(LENGTH_BYTES)
    length = int.from_bytes(start, "little")
    copy.write(start)
    if length > HEADER_MOST:
        raise FactsError(
            f"{NAME}: found a header of {length} bytes, expected at most {HEADER_MOST}, as no"
            " safetensors file has more; pipe one into it"
        )
    header = stream.read(length)
    copy.write(header)
    left = _size(header) + 1
    if left > BYTES_MOST:
        raise FactsError(
            f"{NAME}: found tensors of {left - 1} bytes, expected at most {BYTES_MOST - 1}; name a"
            " file instead"
        )
    while left > 0 and (part := stream.read(min(left, PART))):
        copy.write(part)
        left -= len(part)


def _size(header: bytes) -> int:
    """Read where the last tensor ends; nothing of a header that is none, which is refused later."""
    try:
        entries = json.loads(header)
        return max(
            int(entry["data_offsets"][1]) for key, entry in entries.items() if key[:2] != "__"
        )
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return 0
