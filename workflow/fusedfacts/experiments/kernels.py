"""The kernels' text, checked without a device: what each takes of a workgroup, and its hash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fusedfacts.documents import files
from fusedfacts.kernels import lint
from fusedfacts.kernels import manifest as kernels


def results(folder: Path = kernels.FOLDER) -> dict[str, Any]:
    """The section `kernels` of facts.json.

    Raises
    ------
    ClaimError
        If a kernel's text breaks a rule of the static gate.
    """
    budget = lint.budgets(folder)
    manifest = kernels.manifest(folder)

    def digest(name: str) -> str:
        return files.sha256(files.read_bytes(folder / name, kernels.HINT))

    return {
        "manifest_sha256": digest("manifest.json"),
        "workgroup_bytes_limit": manifest["limits"]["max-compute-workgroup-storage-size"],
        "invocations_limit": manifest["limits"]["max-compute-invocations-per-workgroup"],
        "binding_bytes_limit": manifest["limits"]["max-storage-buffer-binding-size"],
        "longest_unfused": min(
            manifest["kernels"][name]["n_most"] for name in kernels.names("unfused", folder)
        ),
        "kernels": [
            {
                "name": name,
                "sha256": digest(manifest["kernels"][name]["file"]),
                "sizes": [
                    {
                        "d": int(d),
                        "workgroup_bytes": taken["workgroup_bytes"],
                        "invocations": taken["invocations"],
                    }
                    for d, taken in sorted(sizes.items(), key=lambda item: int(item[0]))
                ],
            }
            for name, sizes in sorted(budget.items())
        ],
    }
