"""One decorator for every compiled loop: strict IEEE arithmetic, cached by the source's hash.

Numba's defaults never reassociate and never contract, so a loop gives the same bits compiled,
interpreted (`NUMBA_DISABLE_JIT=1`) and on any CPU. Its on-disk cache, however, looks only at
the file of the function itself and would miss an edit of a function that it calls from another
module; so the cache lives in a folder named after the hash of the whole library.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core.config

F = TypeVar("F", bound=Callable[..., Any])
LIBRARY = Path(__file__).parents[1]


def source_digest() -> str:
    """SHA-256 over the library's files, in the order of their paths."""
    digest = hashlib.sha256()
    for path in sorted(LIBRARY.rglob("*.py")):
        digest.update(
            path.relative_to(LIBRARY).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
        )
    return digest.hexdigest()


def _cache_folder() -> Path | None:
    """A folder for compiled code, or None where the library's folder cannot be written."""
    folder = LIBRARY / "__pycache__" / f"compiled-{source_digest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


_FOLDER = _cache_folder()
if _FOLDER is not None:
    numba.core.config.CACHE_DIR = str(_FOLDER)  # type: ignore[attr-defined]


def compiled(function: F) -> F:
    """Compile a loop on its first call."""
    return cast(F, numba.njit(cache=_FOLDER is not None)(function))


def inlined(function: F) -> F:
    """Compile a small function into its callers."""
    return cast(F, numba.njit(inline="always")(function))
