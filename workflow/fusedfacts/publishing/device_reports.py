"""Device reports that somebody thought worth keeping, beside the published facts.

They are observed, so no run writes them; publishing holds them against their schema and lists their
hashes.
"""

from __future__ import annotations

from pathlib import Path

from fusedfacts.device import consistent
from fusedfacts.documents import canonical_json, files, schema

DEVICES = "devices"


def reports(folder: Path) -> dict[str, bytes]:
    """The device reports beside the facts, by name within the folder.

    Raises
    ------
    FactsError
        If one does not fit its schema.
    """
    found = {}
    for path in sorted((folder / DEVICES).glob("*.json")):
        mend = f"delete it, or copy it again from results/{DEVICES}"
        document = canonical_json.read(path)
        schema.validate(document, "device", str(path), mend)
        consistent.check(document, str(path))
        found[f"{DEVICES}/{path.name}"] = files.read_bytes(path, mend)
    return found
