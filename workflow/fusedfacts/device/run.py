"""Attention on a device: upload, launch the kernels of one method, read the answer back."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from fusedfacts.attention.problem import Rows, Scores
from fusedfacts.device.launch import Counts, launch
from fusedfacts.device.memory import Buffer, allocated, poisoned, words_of
from fusedfacts.device.pipelines import Device, Variant
from fusedfacts.kernels import manifest as kernels

# What can be read back beside the answer, a row for each query. Not the maxima, which could not be
# compared bit by bit: of two zeros WGSL's max may give either.
KEPT = ("s", "p", "l")


@dataclass(frozen=True)
class Answer:
    """What a method gave on a device.

    Attributes
    ----------
    output : Rows
    tables : dict of str to ndarray of float32
        The score and share tables, or the totals "l", if asked for; poison where nothing was
        written.
    counts : dict
        Elements moved, {kernel: {buffer: {"loads", "stores"}}}; {kernel: {}} if not counted.
    ticks : dict
        {kernel: ticks of each dispatch}, none of them on a device without timestamps.
    """

    output: Rows
    tables: dict[str, Scores]
    counts: dict[str, Counts]
    ticks: dict[str, list[int]]


def served(n: int) -> list[str]:
    """Name the methods that serve a length.

    >>> served(5_792), served(5_793)
    (['fused', 'fused_fast', 'kv_outer', 'unfused'], ['fused', 'fused_fast', 'kv_outer'])
    """
    manifest = kernels.manifest()
    return [
        method
        for method, chain in manifest["ways"].items()
        if all(n <= (manifest["kernels"][kernel]["n_most"] or n) for kernel in chain)
    ]


def buffers_of(
    method: str, q: Rows, k: Rows, v: Rows, device: Device
) -> AbstractContextManager[dict[str, Buffer]]:
    """Make buffers for all kernels of a method: inputs uploaded, outputs poisoned."""
    n, d = q.shape
    manifest, chain = kernels.manifest(device.folder), kernels.names(method, device.folder)
    for kernel in chain:
        kernels.check_length(kernel, n, device.folder)
        kernels.constants(kernel, d, folder=device.folder)
    content = {"q": words_of(q), "k": words_of(k), "v": words_of(v), "o": poisoned(n * d)}
    bindings = [entry for kernel in chain for entry in manifest["kernels"][kernel]["bindings"]]
    sizes = {"table": n * n, "row_numbers": n}
    content |= {e["name"]: poisoned(sizes[e["shape"]]) for e in bindings if e["shape"] in sizes}
    return allocated(device.handle, content)


def attention(
    device: Device,
    method: str,
    q: Rows,
    k: Rows,
    v: Rows,
    *,
    keep_tables: bool = False,
    at_least: int = 1,
    **options: Any,
) -> Answer:
    """Compute attention by one of the manifest's methods.

    Parameters
    ----------
    keep_tables : bool
        Whether to read the tables back, or the totals.
    at_least : int
        Pieces to cut each launch into.
    options
        Fields of `Variant`: causal, scale, key_rows, rescale, count.
    """
    n, d = q.shape
    variant = Variant(d, **options)
    counts: dict[str, Counts] = {}
    ticks: dict[str, list[int]] = {}
    with buffers_of(method, q, k, v, device) as buffers:
        for kernel in kernels.names(method, device.folder):
            counts[kernel], ticks[kernel] = launch(device, kernel, variant, n, buffers, at_least)
        output = buffers["o"].floats().reshape(n, d)
        kept = [name for name in KEPT if name in buffers] if keep_tables else []
        tables = {name: buffers[name].floats().reshape(n, -1) for name in kept}
    return Answer(output, tables, counts, ticks)
