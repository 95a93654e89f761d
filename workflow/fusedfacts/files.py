"""Files at the edge: hashes, and writes that leave a file either old or new, never half."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from fusedfacts import canonical_json
from fusedfacts.errors import FactsError


def sha256(content: bytes) -> str:
    """The hash of some bytes, in hex."""
    return hashlib.sha256(content).hexdigest()


def read_bytes(path: Path, mend: str) -> bytes:
    """The bytes of an input file.

    Raises
    ------
    FactsError
        Where it cannot be read, with `mend`, the command that brings it back.
    """
    try:
        return path.read_bytes()
    except OSError as fault:
        raise FactsError(f"{path}: cannot be read ({fault.strerror}); {mend}") from None


def write_bytes(path: Path, content: bytes) -> None:
    """Write to a temporary name beside `path` and move it into place.

    Raises
    ------
    FactsError
        Where the folder cannot be written or the disk is full; the old file is left as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as fault:
        raise FactsError(
            f"{path}: cannot be written ({fault.strerror}); make the folder writable, or free"
            " space on its disk, and run again"
        ) from None


def write_json(path: str | Path, value: Any) -> None:
    """Write canonical JSON."""
    write_bytes(Path(path), canonical_json.dumps(value).encode())
