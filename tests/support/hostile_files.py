"""Safetensors files as nobody should write them, by name, and how to write any other."""

from __future__ import annotations

import json
import struct

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


def text_of(header):
    return json.dumps(header).encode()


DEEP = 100_000
# {name: (content, what the sentence says)}
HOSTILE = {
    "nothing": (b"", "header too small"),
    "seven bytes": (bytes(7), "header too small"),
    "no header": (raw(b"", b""), "invalid JSON"),
    "random": (bytes(range(256)) * 4, "header too large"),
    "a length beyond the file": (raw(three(), length=2**20), "invalid header length"),
    "a length beyond any memory": (raw(three(), length=2**64 - 1), "header too large"),
    "a header of megabytes": (raw(text_of(three()) + b" " * 2**20), "expected at most 1048576"),
    "data cut": (raw(three(), bytes(6 * ROW - 1)), "not fully covered"),
    "data beyond the last tensor": (raw(three(), bytes(6 * ROW + 1)), "not fully covered"),
    "overlap": (raw(three(k=entry(offsets=(0, 2 * ROW)))), "invalid offset"),
    "a hole": (raw({"q": entry(offsets=(4, 4 + 2 * ROW))}, bytes(4 + 2 * ROW)), "invalid offset"),
    "offsets reversed": (raw(three(q=entry(offsets=(2 * ROW, 0)))), "invalid offset"),
    "offsets beyond the file": (
        raw(three(v=entry(offsets=(4 * ROW, 2**40)))),
        "overflow|invalid|incomplete|not fully covered|shape",
    ),
    "a shape beyond any memory": (raw(three(q=entry(shape=(2**62, 16)))), "overflow"),
    "a product that wraps to what is there": (raw(three(q=entry(shape=(2**60 + 2, 16)))), "over"),
    "a shape that is not whole": (raw(three(q=entry(shape=(2.5, 16)))), "invalid type"),
    "a negative shape": (raw(three(q=entry(shape=(-2, -16)))), "invalid value"),
    "an integer of a thousand digits": (
        raw(text_of(three()).replace(b"[2, 16]", b"[" + b"9" * 1000 + b", 16]", 1)),
        "invalid",
    ),
    "an unknown type": (raw(three(q=entry(dtype="F31"))), "unknown variant"),
    "a type of a hundred thousand signs": (raw(three(q=entry(dtype="F" * 10**5))), r"FFF\.\.\."),
    "a name twice": (
        raw(text_of(three())[:-1] + b', "q": ' + text_of(entry()) + b"}"),
        "each name once",
    ),
    "a shape twice": (
        raw(text_of(three()).replace(b'"dtype"', b'"dtype": "F32", "dtype"', 1)),
        "duplicate field|each name once",
    ),
    "brackets without end": (raw(b"[" * DEEP), "invalid"),
    "objects without end": (raw(b'{"q":' * DEEP), "recursion limit"),
    "deep metadata": (raw(b'{"__metadata__":' + b"[" * DEEP), "invalid"),
    "half a surrogate": (
        raw(text_of(three()).replace(b'"q"', b'"q\\ud800"')),
        "invalid JSON|unexpected end",
    ),
    "no UTF-8": (raw(text_of(three()).replace(b'"q"', b'"\xff"')), "invalid"),
    "a list": (raw([three()]), "invalid"),
    "null": (raw(b"null"), "invalid"),
    "an empty header": (raw({}, b""), "found no q, k, v"),
    "metadata only": (raw({"__metadata__": {"q": "F32"}}, b""), "found no q, k, v"),
    "metadata that is no text": (raw({"__metadata__": {"a": 1}, **three()}), "invalid type"),
    "a name that writes to the terminal": (
        raw(three() | {"\u202eo\n\x1b[2J": entry(shape=(0, 16), offsets=(0, 0))}),
        r"unknown tensors '\\u202eo\\n\\x1b\[2J'",
    ),
    "a very long name": (
        raw(three() | {"x" * 9999: entry(shape=(0, 16), offsets=(0, 0))}),
        r"unknown tensors 'x{60}\.\.\.'",
    ),
    "five thousand tensors": (
        raw(three() | {f"t{i}": entry(shape=(0,), offsets=(0, 0)) for i in range(5000)}),
        "and 4996 more",
    ),
    "no dimension": (raw({n: entry(shape=(), offsets=(0, 4)) for n in "q"}, bytes(4)), "no k, v"),
}
