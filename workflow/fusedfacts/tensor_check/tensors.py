"""Q, K, V, and perhaps an answer O, from somebody's file: named, shaped and stored as expected.

Each is of shape (n, d) or (heads, n, d), in float32, or in float16 or bfloat16, which float32
holds exactly. One head of one tensor is in memory at a time until it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fusedfacts import errors
from fusedfacts.attention.problem import HEAD_DIMS, Rows, Wide, default_scale
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check import safetensors_file
from fusedfacts.tensor_check.safetensors_file import Entry, Source
from fusedfacts.terminal import listed

INPUTS, ANSWER = ("q", "k", "v"), "o"
# Time grows with n^2: a head of this length takes a quarter of an hour at d = 16.
N_MOST = 2**17
HEADS_MOST = 1024  # of one layer, or of a few; more are checked in several files
SHOWN_MOST = 60  # characters of a stranger's name that a message quotes
FIX = "save q, k, v (and o, if you want yours judged) of one layer, and nothing else"


class Stored(NamedTuple):
    """A way to store numbers that float32 holds exactly."""

    name: str
    code: str  # NumPy's type of the stored bytes, little-endian
    digits: int  # binary ones after the point of a normal number
    least_exponent: int  # of normal numbers: subnormal ones have steps of 2^(this - digits)

    def widened(self, content: bytes) -> Rows:
        """Widen stored bytes to float32, which is exact."""
        stored = np.frombuffer(content, dtype=self.code)
        if self is BFLOAT16:  # the upper half of a float32
            return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
        with np.errstate(invalid="ignore"):  # a NaN that signals is refused by its place later
            return stored.astype(np.float32)

    def half_unit(self, values: Rows) -> Wide:
        """Compute the most that rounding to this type can have changed, ending at `values`.

        >>> FLOAT16.half_unit(np.float32([1, 0])) == [2.0**-11, 2.0**-25]
        array([ True,  True])
        """
        _, exponent = np.frexp(np.abs(values.astype(np.float64)))
        exponent = np.where(values == 0, self.least_exponent, exponent - 1)
        exponent = np.maximum(exponent, self.least_exponent)
        half: Wide = np.ldexp(0.5, exponent - self.digits)
        return half


FLOAT32 = Stored("float32", "<f4", 23, -126)
FLOAT16 = Stored("float16", "<f2", 10, -14)
BFLOAT16 = Stored("bfloat16", "<u2", 7, -126)
STORED = {"F32": FLOAT32, "F16": FLOAT16, "BF16": BFLOAT16}


class Tensors:
    """The tensors of an open file, head by head, checked but for their values."""

    def __init__(self, source: Source) -> None:
        self._source, self.file = source, source.name
        entries = source.entries
        _check_names(entries, self.file)
        for name, entry in entries.items():
            _check_entry(name, entry, entries["q"], self.file)
        self.stored = {name: STORED[entry.dtype] for name, entry in sorted(entries.items())}
        self.shape = entries["q"].shape
        self.n, self.d = self.shape[-2:]
        self.heads = self.shape[0] if len(self.shape) == 3 else 1

    def head(self, name: str, head: int) -> Rows:
        """Read one head of a tensor, float32 of shape (n, d)."""
        entry, stored = self._source.entries[name], self.stored[name]
        size = self.n * self.d * np.dtype(stored.code).itemsize
        content = self._source.part(entry, head * size, size)
        return stored.widened(content).reshape(self.n, self.d)

    def given_answer(self, head: int) -> tuple[Rows | None, Wide | None]:
        """Read one head of tensor o, if any, and bound what storing it may have changed."""
        if ANSWER not in self.stored:
            return None, None
        answer, stored = self.head(ANSWER, head), self.stored[ANSWER]
        return answer, None if stored is FLOAT32 else stored.half_unit(answer)

    def check_finite(self) -> None:
        """Refuse a NaN or an infinity in q, k or v, naming the first place."""
        for name in INPUTS:
            for head in range(self.heads):
                values = self.head(name, head)
                bad = ~np.isfinite(values)
                if bad.any():
                    row, column = (int(i) for i in np.argwhere(bad)[0])
                    found = "NaN" if np.isnan(values[row, column]) else "infinity"
                    raise FactsError(
                        f"{self.file}: {name} holds {found} at head {head}, row {row}, column"
                        f" {column}, counted from zero, expected finite numbers; mend what made it"
                    )


@contextmanager
def opened(path: Path) -> Iterator[Tensors]:
    """Open a file and check its names, types and shapes."""
    with safetensors_file.opened(path) as source:
        yield Tensors(source)


def _check_names(entries: dict[str, Entry], file: str) -> None:
    missing = [name for name in INPUTS if name not in entries]
    unknown = sorted(name for name in entries if name not in (*INPUTS, ANSWER))
    if missing or unknown:
        found = [f"no {', '.join(missing)}"] if missing else []
        names = [f"'{errors.printable(name, SHOWN_MOST)}'" for name in unknown]
        found += [f"unknown tensors {listed(names)}"] if unknown else []
        missed = " and ".join(found)
        raise FactsError(f"{file}: found {missed}, expected q, k, v and at most o; {FIX}")


def _check_entry(name: str, entry: Entry, like: Entry, file: str) -> None:
    """Refuse one tensor's type or shape."""
    shape = entry.shape
    if entry.dtype not in STORED:
        raise FactsError(
            f"{file}: {name} found as {entry.dtype}, expected F32, F16 or BF16; save it as float32"
        )
    if len(shape) not in (2, 3):
        raise FactsError(
            f"{file}: {name} found of shape {_shown(shape)}, expected (n, d) or (heads, n, d);"
            " reshape it"
        )
    if shape != like.shape:
        raise FactsError(
            f"{file}: {name} found of shape {_shown(shape)}, expected {_shown(like.shape)} like q;"
            f" {_alike(name, shape, like.shape)}"
        )
    heads = shape[0] if len(shape) == 3 else 1
    for what, most, found, fix in (
        ("heads", HEADS_MOST, heads, "save so many heads in a file"),
        ("n", N_MOST, shape[-2], "save a sequence of such a length"),
    ):
        if not 1 <= found <= most:
            raise FactsError(f"{file}: {what} found {found}, expected 1 to {most}; {fix}")
    if shape[-1] not in HEAD_DIMS:
        served = ", ".join(map(str, HEAD_DIMS))
        raise FactsError(
            f"{file}: d found {shape[-1]}, expected one of {served}, which the kernels serve;"
            f" {_served(shape[-1])}"
        )


def _alike(name: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Say what makes a tensor's shape that of q; a head of k and v may serve several of q.

    >>> _alike("k", (2, 9, 64), (8, 9, 64))
    'repeat k and v, whose heads 4 of q share: np.repeat(k, 4, axis=0), and v likewise'
    """
    if name in ("k", "v") and len(shape) == len(wanted) == 3 and shape[1:] == wanted[1:]:
        shared, rest = divmod(wanted[0], shape[0]) if shape[0] else (0, 1)
        if rest == 0 and shared > 1:
            call = f"np.repeat(k, {shared}, axis=0)"
            return f"repeat k and v, whose heads {shared} of q share: {call}, and v likewise"
    return "save tensors of the same heads and the same sequence"


def _served(d: int) -> str:
    """Say what makes tensors of another head dimension fit a kernel.

    Zeros add nothing to a score and give columns of zeros, but the scale is that of d itself.

    >>> _served(80)
    'pad q, k, v (and o) with zeros to d 128 and give --scale 0.11180339887498948, 1 / sqrt(80)'
    """
    if 1 <= d < HEAD_DIMS[-1]:
        padded = next(dim for dim in HEAD_DIMS if dim > d)
        scale = f"give --scale {default_scale(d)!r}, 1 / sqrt({d})"
        return f"pad q, k, v (and o) with zeros to d {padded} and {scale}"
    larger = ", as no kernel serves a larger one" if d > HEAD_DIMS[-1] else ""
    return f"save tensors of such a head dimension{larger}"


def _shown(shape: tuple[int, ...]) -> str:
    """Write a shape; a header may hold thousands of dimensions."""
    some = ", ".join(map(str, shape[:4]))
    return f"({some}, ...)" if len(shape) > 4 else f"({some})"
