"""Attention on a device: upload, launch the kernels of one way, read the answer back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.device.launch import Counts, launch
from fusedfacts.device.memory import Buffer, poisoned, words_of
from fusedfacts.device.pipelines import Device, Variant
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest as kernels

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Answer:
    """What a way of computing attention gave on a device.

    Attributes
    ----------
    output : ndarray of float32, shape (n, d)
    tables : dict of str to ndarray of float32, shape (n, n)
        The score and share tables, if asked for; poison where nothing was written.
    counts : dict or None
        Elements moved, {kernel: {buffer: {"loads", "stores"}}}; None if not counted.
    ticks : dict or None
        {kernel: ticks of each dispatch}; None on a device without timestamps.
    """

    output: Floats
    tables: dict[str, Floats]
    counts: dict[str, Counts] | None
    ticks: dict[str, list[int]] | None


def check_tensors(q: Floats, k: Floats, v: Floats) -> None:
    """Refuse what is not three float32 tensors of one shape (n, d), n at least 1.

    Raises
    ------
    FactsError
        Saying what was found.
    """
    shapes = [getattr(x, "shape", None) for x in (q, k, v)]
    types = {str(getattr(x, "dtype", type(x).__name__)) for x in (q, k, v)}
    shape = shapes[0]
    alike = shape is not None and len(shape) == 2 and shapes == [shape] * 3
    if shape is None or not alike or shape[0] < 1 or types != {"float32"}:
        raise FactsError(
            f"q, k, v: found shapes {', '.join(map(str, shapes))} of {', '.join(sorted(types))},"
            " expected one shape (n, d) of float32 with n of at least 1; give tensors of the same"
            " sequence, as float32"
        )


def bind(way: str, q: Floats, k: Floats, v: Floats, device: Device) -> dict[str, Buffer]:
    """Buffers for all kernels of a way: inputs uploaded, outputs poisoned.

    Raises
    ------
    FactsError
        If the tensors do not have one shape (n, d), or a kernel does not serve it.
    """
    check_tensors(q, k, v)
    n, d = q.shape
    manifest, chain = kernels.manifest(device.folder), kernels.names(way, device.folder)
    for kernel in chain:
        kernels.check_length(kernel, n, device.folder)
        kernels.constants(kernel, d, folder=device.folder)
    content = {"q": words_of(q), "k": words_of(k), "v": words_of(v), "o": poisoned(n * d)}
    bindings = [entry for kernel in chain for entry in manifest["kernels"][kernel]["bindings"]]
    content |= {e["name"]: poisoned(n * n) for e in bindings if e["shape"] == "table"}
    buffers: dict[str, Buffer] = {}
    try:
        for name, words in content.items():
            buffers[name] = Buffer(device.handle, name, words)
    except FactsError:
        release(buffers)
        raise
    return buffers


def release(buffers: dict[str, Buffer]) -> None:
    """Give the memory of all buffers back."""
    for buffer in buffers.values():
        buffer.release()


def attention(
    device: Device,
    way: str,
    q: Floats,
    k: Floats,
    v: Floats,
    *,
    causal: bool = False,
    scale: float | None = None,
    key_rows: int | None = None,
    rescale: bool = True,
    count: bool = True,
    keep_tables: bool = False,
    at_least: int = 1,
) -> Answer:
    """Attention by one of the manifest's ways.

    Parameters
    ----------
    device : Device
    way : str
        "fused", "fused_fast" or "unfused".
    q, k, v : ndarray of float32, shape (n, d)
    causal : bool
        Whether a query looks only at keys up to its own.
    scale : float, optional
        What scores are multiplied by, 1 / sqrt(d) by default; a normal number of float32.
    key_rows : int, optional
        Rows of a key tile of a fused kernel, the manifest's by default.
    rescale : bool
        False leaves out the factor on the running total: the broken control.
    count : bool
        Whether the kernels count their accesses.
    keep_tables : bool
        Whether to read the tables back.
    at_least : int
        Dispatches to cut each launch into.

    Returns
    -------
    Answer

    Raises
    ------
    FactsError
        If the size is not served, or the device fails.
    """
    chain = kernels.names(way, device.folder)
    online = "RESCALE" in kernels.manifest(device.folder)["kernels"][chain[0]]["overrides"]
    if not online and (key_rows is not None or not rescale):
        raise FactsError(
            f"{way}: found key_rows {key_rows} and rescale {rescale}, expected neither to be set,"
            " as only a fused kernel walks such tiles; use a fused way"
        )
    buffers = bind(way, q, k, v, device)
    n, d = q.shape
    variant = Variant(d, key_rows, count, causal, rescale, scale)
    counts: dict[str, Any] = {}
    ticks: dict[str, Any] = {}
    try:
        for kernel in chain:
            counts[kernel], ticks[kernel] = launch(device, kernel, variant, n, buffers, at_least)
        output = buffers["o"].floats().reshape(n, d)
        tables: dict[str, Floats] = {
            name: buffers[name].floats().reshape(n, n)
            for name in ("s", "p")
            if keep_tables and name in buffers
        }
    finally:
        release(buffers)
    return Answer(
        output, tables, counts if count else None, ticks if device.has_timestamps else None
    )
