"""Read the kernels' text and how it is run: kernels/manifest.json, which the page reads, too.

A kernel's text is complete but for one line of constants, put before it for a head dimension;
WGSL's pipeline-overridable constants cannot size a function's arrays.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fusedfacts.documents import files, repository, schema
from fusedfacts.errors import FactsError, guessed

FOLDER = repository.ROOT / "kernels"
MANIFEST = "manifest.json"
IN_TURN = "key_tile"  # what a workgroup takes that must find what those before it have stored
SELFTEST = "selftest.wgsl"
HINT = "restore it with `git checkout kernels`"


@cache
def manifest(folder: Path = FOLDER) -> dict[str, Any]:
    """Read the manifest, once, and check it against its schema."""
    return schema.read(folder / MANIFEST, "kernels", HINT)


def entry(kernel: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Read what the manifest says of a kernel."""
    served: dict[str, dict[str, Any]] = manifest(folder)["kernels"]
    if kernel not in served:
        raise FactsError(
            f"kernel: found {kernel!r}{guessed(kernel, served)}, expected one of"
            f" {', '.join(sorted(served))}; correct it"
        )
    return served[kernel]


def names(way: str, folder: Path = FOLDER) -> tuple[str, ...]:
    """List the kernels of a method, in order.

    >>> names("unfused")
    ('scores', 'softmax', 'mix')
    """
    return tuple(manifest(folder)["ways"][way])


def constants(
    kernel: str, d: int, key_rows: int | None = None, folder: Path = FOLDER
) -> dict[str, int]:
    """Look up a kernel's whole-number constants at one head dimension.

    `key_rows` makes the key tile, where it has one, narrower than the manifest's.

    >>> constants("fused", 64)["BR"], constants("fused", 64, key_rows=8)["BC"]
    (32, 8)
    """
    served: dict[str, dict[str, int]] = entry(kernel, folder)["constants"]
    if str(d) not in served:
        raise FactsError(
            f"d: found {d}, expected one of {', '.join(sorted(served, key=int))}; correct head_dims"
        )
    found = {**served[str(d)], "SLOTS": manifest(folder)["counter_slots"]}
    if key_rows is not None and "BC" in found:
        if not 1 <= key_rows <= found["BC"]:
            raise FactsError(
                f"key_rows: found {key_rows}, expected 1 to {found['BC']}, the rows that the key"
                f" tile of {kernel} holds at d {d}; use a narrower tile"
            )
        found["BC"] = key_rows
    return found


def literal(scale: float) -> str:
    """Write a scale, rounded to float32, as WGSL does.

    >>> literal(0.25), literal(0.3)
    ('0x1p-2f', '0x1.333334p-2f')
    """
    digits, _, exponent = float(np.float32(scale)).hex().partition("p")
    return f"{digits.rstrip('0').rstrip('.')}p{int(exponent)}f"


def prelude(
    kernel: str,
    d: int,
    key_rows: int | None = None,
    folder: Path = FOLDER,
    scale: float | None = None,
) -> str:
    """Write the constants that stand before a kernel's text; no newline, so lines keep count.

    The scale is the manifest's, 1 / sqrt(d), if none is given.

    >>> prelude("softmax", 16)
    'const COLUMNS_EACH = 24u; const D = 16u; const LANES = 256u; const SLOTS = 9u; \
const SCALE: f32 = 0x1p-2f; '
    """
    found = constants(kernel, d, key_rows, folder)
    lines = [f"const {name} = {value}u; " for name, value in found.items()]
    written = manifest(folder)["scale"][str(d)] if scale is None else literal(scale)
    return "".join([*sorted(lines), f"const SCALE: f32 = {written}; "])


def text(kernel: str, folder: Path = FOLDER) -> str:
    """Read a kernel's text from its file."""
    path = folder / str(entry(kernel, folder)["file"])
    try:
        return files.read_bytes(path, HINT).decode()
    except UnicodeDecodeError as fault:
        raise FactsError(f"{path}: cannot be read as UTF-8 text ({fault}); {HINT}") from None


def check_length(kernel: str, n: int, folder: Path = FOLDER) -> None:
    """Refuse a sequence whose n by n table exceeds what one binding may hold."""
    most = entry(kernel, folder)["n_most"]
    if most is not None and n > most:
        limit = manifest(folder)["limits"]["max-storage-buffer-binding-size"]
        raise FactsError(
            f"n: found {n}, expected at most {most} for the {kernel} kernel, whose table of"
            f" {4 * n * n} bytes must fit one binding of {limit}; use the fused kernel or a"
            " smaller n"
        )
