"""Safetensors files as nobody should write them, by name, and how to write any other."""

from __future__ import annotations

import json
import struct

import ml_dtypes
import numpy as np

ROW = 16 * 4  # bytes of one row of d = 16 in float32


def entry(dtype="F32", shape=(2, 16), offsets=(0, 2 * ROW)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def three(**changes):
    """A right header of q, k and v of shape (2, 16), but for what is changed."""
    right = {name: entry(offsets=(i * 2 * ROW, (i + 1) * 2 * ROW)) for i, name in enumerate("qkv")}
    return {**right, **changes}


def raw(header, data=bytes(6 * ROW), length=None):
    """A file of that header, a text or what becomes JSON, and that data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


KINDS = {
    np.dtype(kind): name
    for kind, name in (
        (np.float64, "F64"),
        (np.float32, "F32"),
        (np.float16, "F16"),
        (ml_dtypes.bfloat16, "BF16"),
        (np.bool_, "BOOL"),
    )
}


def saved(arrays):
    """A right file of these arrays, of bfloat16, too, which the package does not save of NumPy."""
    header, data = {}, b""
    for name, array in arrays.items():
        part = np.ascontiguousarray(array).tobytes()
        ends = len(data), len(data) + len(part)
        header[name], data = entry(KINDS[array.dtype], array.shape, ends), data + part
    return raw(header, data)


def text_of(header):
    return json.dumps(header).encode()


def texted(old, new):
    """The right header with something replaced in its text, once."""
    return raw(text_of(three()).replace(old, new, 1))


def extra(name, shape, number=1):
    """A file with more tensors than it should have, all empty."""
    return raw(three() | {name.format(i): entry("F32", shape, (0, 0)) for i in range(number)})


TWICE = text_of(three())[:-1] + b', "q": ' + text_of(entry()) + b"}"
# {name: (content, what the sentence says)}
HOSTILE = {
    "nothing": (b"", "header too small"),
    "random": (bytes(range(256)) * 4, "header too large"),
    "a length beyond the file": (raw(three(), length=2**20), "invalid header length"),
    "a length beyond any memory": (raw(three(), length=2**64 - 1), "header too large"),
    "a header of megabytes": (raw(text_of(three()) + b" " * 2**20), "expected at most 1048576"),
    "data cut": (raw(three(), bytes(6 * ROW - 1)), "not fully covered"),
    "overlap": (raw(three(k=entry(offsets=(0, 2 * ROW)))), "invalid offset"),
    "a shape beyond any memory": (raw(three(q=entry(shape=(2**62, 16)))), "overflow"),
    "a product that wraps to what is there": (raw(three(q=entry(shape=(2**60 + 2, 16)))), "over"),
    "a negative shape": (raw(three(q=entry(shape=(-2, -16)))), "invalid value"),
    "a thousand digits": (texted(b"[2, 16]", b"[" + b"9" * 1000 + b", 16]"), "invalid"),
    "a type of a hundred thousand signs": (raw(three(q=entry(dtype="F" * 10**5))), r"FFF\.\.\."),
    "a name twice": (raw(TWICE), "each name once"),
    "a shape twice": (texted(b'"dtype"', b'"dtype": "F32", "dtype"'), "duplicate|each name once"),
    "objects without end": (raw(b'{"q":' * 10**5), "recursion limit"),
    "half a surrogate": (texted(b'"q"', b'"q\\ud800"'), "invalid JSON|unexpected end"),
    "no UTF-8": (texted(b'"q"', b'"\xff"'), "invalid"),
    "a list": (raw([three()]), "invalid"),
    "an empty header": (raw({}, b""), "found no q, k, v"),
    "a name that writes to the terminal": (
        extra("\u202eo\n\x1b[2J", (0, 16)),
        r"unknown tensors '\\u202eo\\n\\x1b\[2J'",
    ),
    "a very long name": (extra("x" * 9999, (0, 16)), r"unknown tensors 'x{60}\.\.\.'"),
    "five thousand tensors": (extra("t{}", (0,), 5000), "and 4995 more"),
    "no dimension": (raw({"q": entry(shape=(), offsets=(0, 4))}, bytes(4)), "no k, v"),
}
