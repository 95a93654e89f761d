"""A safetensors file whose bytes follow from what it holds: its writer shuffles the metadata.

A retraining that ends at the same numbers then ends at the same bytes.
"""

from __future__ import annotations

import json


def canonical_weights(content: bytes) -> bytes:
    """Put the metadata of a safetensors file in order."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    ordered = {"__metadata__": dict(sorted(header.pop("__metadata__").items())), **header}
    text = json.dumps(ordered, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + size :]
