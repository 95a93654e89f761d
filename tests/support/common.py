"""What tests of several rooms need: paths, seeded tensors, bit patterns and edited files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from fusedfacts.documents import canonical_json, files
from fusedfacts.numerics import rng
from fusedfacts.publishing import manifest as manifests

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "media" / "school" / "fused"


def tensors(n, d, seed=5, kind=rng.normal):
    """Seeded Q, K and V of shape (n, d)."""
    return tuple(kind(seed, stream, (n, d)) for stream in range(3))


def content(folder):
    """Read every file below a folder: bytes by name."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def change_digit(path, old=b"270532608", new=b"270532609"):
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


def relist(folder):
    """Write the hashes of whatever lies in a published folder into it, as a careful liar would."""
    document = canonical_json.read(folder / "manifest.json")
    document["files"] = {
        name: files.sha256((folder / name).read_bytes())
        for name in document["files"]
        if (folder / name).exists()
    }
    files.write_json(folder / "manifest.json", document)
    files.write_bytes(folder / "SHA256SUMS", manifests.sums(document).encode())


def bits(array):
    """The bit patterns of a float32 array, so that NaN equals itself and -0 differs from 0."""
    return np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
