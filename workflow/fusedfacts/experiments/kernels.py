"""The kernels' text, checked without a device: what each takes of a workgroup, and its hash."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import Claim, Group, Section
from fusedfacts.documents import files
from fusedfacts.kernels import lint
from fusedfacts.kernels import manifest as kernels


def compute() -> dict[str, Any]:
    """Compute what each kernel takes of a workgroup, and the hashes of the texts.

    Raises
    ------
    ClaimError
        If a kernel's text breaks a rule of the static gate.
    """
    budgets = lint.budgets()
    manifest = kernels.manifest()
    limits, listed = manifest["limits"], manifest["kernels"]

    def digest(name: str) -> str:
        return files.sha256(files.read_bytes(kernels.FOLDER / name, kernels.HINT))

    return {
        "manifest_sha256": digest("manifest.json"),
        "workgroup_bytes_limit": limits["max-compute-workgroup-storage-size"],
        "invocations_limit": limits["max-compute-invocations-per-workgroup"],
        "binding_bytes_limit": limits["max-storage-buffer-binding-size"],
        "longest_unfused": min(listed[name]["n_most"] for name in kernels.names("unfused")),
        "kernels": [
            {
                "name": name,
                "sha256": digest(listed[name]["file"]),
                "sizes": [{"d": d, **taken} for d, taken in sizes.items()],
            }
            for name, sizes in budgets.items()
        ],
    }


KERNELS = Group(
    "fusedfacts.experiments.kernels.compute",
    ("kernels.manifest_sha256",),
    "A static gate sums what the kernel's text declares, and WebGPU itself compiles it in "
    "the tests.",
    "It is what the text declares; a device may keep more or less than that on the chip, and how"
    " many workgroups it runs together is its own affair.",
)
LIMITS = """
workgroup_bytes_limit | WebGPU grants a workgroup {} bytes of its own memory by default. | bytes
    | as WebGPU's default limit is
invocations_limit | WebGPU grants a workgroup {} invocations by default. | invocations
    | as WebGPU's default limit is
binding_bytes_limit | WebGPU grants a kernel buffers of {} bytes by default. | bytes
    | as WebGPU's default limit is
longest_unfused | The unfused kernels serve up to {} words: a longer table does not fit one buffer.
    | words | largest n with 4 n^2 <= binding_bytes_limit
"""
TAKEN = """
workgroup_bytes | A workgroup of the $kernel kernel at d = $d keeps {} bytes in its own memory.
    | bytes | sum of the kernel's workgroup arrays, in bytes
invocations | A workgroup of the $kernel kernel at d = $d has {} invocations. | invocations
    | product of the kernel's workgroup size
"""


def claims(section: dict[str, Any]) -> list[Claim]:
    """Claim WebGPU's limits, and what each kernel takes of them."""
    found = KERNELS.table("kernels.{}", LIMITS, section)
    for kernel in section["kernels"]:
        name = kernel["name"]
        for size in kernel["sizes"]:
            words = {"kernel": name, "d": size["d"]}
            found += KERNELS.table(f"kernels.{{}}.{name}.d{size['d']}", TAKEN, size, words)
    return found


SECTION = Section(compute, claims, files=("kernels/*.[wj]*",))
