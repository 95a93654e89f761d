"""Compile loops with strict IEEE arithmetic, and share the machine code between clones.

Numba's defaults never reassociate and never contract, so a loop gives the same bits compiled,
interpreted (`NUMBA_DISABLE_JIT=1`) and on any CPU. Its own cache on disk looks only at the file of
the function itself, and would miss an edit of a function that is inlined from another module. Here
a folder is named after everything that is compiled: all modules of the rooms that hold compiled
loops, and numba's version. It lies in the user's cache, so that clones share it and none carries
machine code of its own.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from fusedfacts.errors import FactsError

try:
    import numba
    from numba.core import caching
except ImportError:
    raise  # the doctor's sentence
except Exception as fault:  # whatever its reader of YAML raises
    raise FactsError(
        f"numba: cannot start ({type(fault).__name__}: {fault}), expected settings that it can"
        " read; correct or remove .numba_config.yaml in the working directory"
    ) from None

from fusedfacts import terminal

F = TypeVar("F", bound=Callable[..., Any])
LIBRARY = Path(__file__).parents[1]
COMPILING = "compiling the loops for this machine, which takes a while the first time"
# Infinities and NaN stay what they are; a division by zero gives one, and no exception.
ANY_ORDER: Any = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}
ROOMS = ("attention", "emulator", "numerics")  # a test holds that no other room compiles


@cache
def source_digest(library: Path = LIBRARY) -> str:
    """Hash numba's version and the modules of the rooms that compile, in order of paths."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(path for room in ROOMS for path in (library / room).rglob("*.py")):
        name = path.relative_to(library).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def cache_folder() -> Path:
    """Name the folder of the compiled code: below XDG_CACHE_HOME, or below ~/.cache.

    Where there is no home at all, the folder cannot be made, and every process compiles anew.
    """
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(base):  # a user without a home, who shall not get a folder named "~"
        base = os.devnull
    return Path(base, "fused-facts", f"compiled-{source_digest()[:16]}")


class _Locator(caching._CacheLocator):
    """One folder for all functions; a function is told apart by its module and line."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._place = f"{function.__module__}-{function.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return source_digest()

    def get_disambiguator(self) -> str:
        return self._place

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func)


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # type: ignore[list-item]  # noqa: RUF012


class _Cache(caching.FunctionCache):
    """A cache that costs time where it fails, and never more: numba's own raises."""

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # whatever an empty, cut or foreign pickle raises
            with suppress(OSError):  # an empty index: what is compiled anew can be saved
                self.flush()
        if found is None:
            for told in terminal.waiting:
                told(COMPILING)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a read-only folder, a full disk
            super().save_overload(sig, data)


def compiled(function: F) -> F:
    """Compile a loop on its first call; others may run while it does, as heads side by side."""
    return _kept(function, numba.njit(nogil=True)(function))


def compiled_sums(function: F) -> F:
    """Compile a loop whose sums may be taken in any order, as those of BLAS are.

    Several terms are added at once, and a product with its sum, so that the last bits are those of
    a machine: for bounds, which leave room for that, and for nothing that is held bit by bit.
    """
    return _kept(function, numba.njit(**ANY_ORDER)(function))


def _kept(function: F, dispatcher: Any) -> F:
    """Keep on disk what is compiled."""
    if not numba.core.config.DISABLE_JIT:  # type: ignore[attr-defined]
        dispatcher._cache = _Cache(function)
    return cast(F, dispatcher)


def inlined(function: F) -> F:
    """Compile a small function into its callers."""
    return cast(F, numba.njit(inline="always")(function))
