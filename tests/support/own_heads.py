"""Heads of one's own: a file of them in each type that is read, and a config that names it."""

from __future__ import annotations

import json
import re
import struct

import numpy as np
from fusedfacts.documents.files import sha256

from support.common import ROOT, tensors

N, D = 24, 16
NAME = "own.safetensors"
AS_STORED = {
    "F32": lambda x: x.astype("<f4"),
    "F16": lambda x: x.astype("<f2"),
    "BF16": lambda x: (x.astype("<f4").view("<u4") >> 16).astype("<u2"),  # the upper half
}


def heads(n=N, d=D):
    """Two heads of numbers that all types hold; the second cannot show the broken rescale."""
    q, k, v = (np.round(np.stack([x] * 2) * 16) / 16 for x in tensors(n, d))
    q[1] = 0
    return {"q": q, "k": k, "v": v}


def stored(arrays, dtype="F32"):
    """A safetensors file of these arrays; its package writes no bfloat16 from NumPy."""
    header, data = {}, b""
    for name, array in arrays.items():
        written = AS_STORED[dtype](np.ascontiguousarray(array)).tobytes()
        ends = [len(data), len(data) + len(written)]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": ends}
        data += written
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def given(folder, dtype="F32"):
    """Write such a file into a folder; what a config says of it."""
    content = stored(heads(), dtype)
    (folder / NAME).write_bytes(content)
    return {"heads": NAME, "heads_sha256": sha256(content), "publish_to": "mine"}


def documented(language):
    """The blocks of docs/own-model.md in that language: its scripts, or its commands."""
    text = (ROOT / "docs" / "own-model.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
