"""Claims about the bench: what a workgroup of each kernel takes of what WebGPU grants."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import Group

KERNELS = Group(
    "fusedfacts.experiments.kernels.results",
    ("kernels.manifest_sha256",),
    "A static gate sums what the kernel's text declares, and WebGPU itself compiles it in "
    "the tests.",
    "It is what the text declares; a device may keep more or less than that on the chip, and how"
    " many workgroups it runs together is its own affair.",
)
LIMITS = (
    (
        "workgroup_bytes_limit",
        "WebGPU grants a workgroup {} bytes of its own memory by default.",
        "bytes",
    ),
    ("invocations_limit", "WebGPU grants a workgroup {} invocations by default.", "invocations"),
    ("binding_bytes_limit", "WebGPU grants a kernel buffers of {} bytes by default.", "bytes"),
    (
        "longest_unfused",
        "The unfused kernels serve up to {} words: a longer table does not fit one buffer.",
        "words",
    ),
)


def claims(section: dict[str, Any]) -> list[dict[str, Any]]:
    """Claims of the section `kernels`."""
    found = [
        KERNELS.claim(f"kernels.{key}", statement, section[key], unit)
        for key, statement, unit in LIMITS
    ]
    for kernel in section["kernels"]:
        for size in kernel["sizes"]:
            at = f"{kernel['name']}.d{size['d']}"
            words = f"of the {kernel['name']} kernel at d = {size['d']}"
            found += [
                KERNELS.claim(
                    f"kernels.workgroup_bytes.{at}",
                    f"A workgroup {words} keeps {{}} bytes in its own memory.",
                    size["workgroup_bytes"],
                    "bytes",
                ),
                KERNELS.claim(
                    f"kernels.invocations.{at}",
                    f"A workgroup {words} has {{}} invocations.",
                    size["invocations"],
                    "invocations",
                ),
            ]
    return found
