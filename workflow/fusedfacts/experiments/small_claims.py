"""Claims about the case worked by hand, and about constants and settings that prose quotes."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import Group, chosen

WORKED = Group(
    "fusedfacts.experiments.worked.results",
    ("kernels.manifest_sha256",),
    "A plain walk over the row ends at the emulator's bits, and the emulator's counts equal "
    "the closed formula.",
    "It shows how the numbers come about on a case that can be followed; it says nothing about"
    " sizes that matter.",
)
CONTRACT = Group(
    "fusedfacts.experiments.contract.results",
    ("kernels.manifest_sha256",),
    "The emulator's constants equal those of the kernels' manifest.",
    "It is a choice of this project's kernels, made to fit WebGPU's default limits; others choose"
    " otherwise.",
)
BOUND = Group(
    "fusedfacts.experiments.contract.results",
    ("kernels.manifest_sha256",),
    "docs/error-bound.md derives it, and the tests hold the bound to a literal reading of that"
    " page.",
    "It is a limit of the bound's derivation, not of any kernel or device.",
)
SETTINGS = (
    ("seed", "The seed of every random input is {}.", "1"),
    ("online_rows", "Each kind of input to one-pass softmax has {} rows.", "rows"),
    ("online_length", "Each row of input to one-pass softmax has {} scores.", "scores"),
    ("record_rows", "The record law is held against {} rows of each length.", "rows"),
)
SIZES = (
    ("n", "The worked case has {} words.", "words"),
    ("d", "The worked case has {} numbers a head.", "numbers"),
    ("key_rows", "The worked case's key tiles have {} rows.", "rows"),
    ("query_rows", "The worked case's query tile has room for {} rows.", "rows"),
    ("query", "The first number of each of the worked case's queries is {}.", "1"),
    ("scaled_query", "Scaled, the first number of each query is {}.", "1"),
    ("answer", "The worked case's answer is {} in its first column.", "1"),
    ("elements_in_all", "Fused, the worked case moves {} elements.", "elements"),
    ("table_elements", "The worked case's table has {} elements.", "elements"),
    ("fused_bytes", "Fused, the worked case moves {} bytes.", "bytes"),
    ("unfused_bytes", "Unfused, the worked case moves {} bytes.", "bytes"),
)
STEP = (
    ("maximum", "the running maximum is about {}"),
    ("factor", "the factor is {}"),
    ("total", "the running total is {}"),
    ("output", "the running output is {}"),
)


def worked_claims(worked: dict[str, Any]) -> list[dict[str, Any]]:
    """Claims of the section `worked`."""
    found = [WORKED.claim(f"worked.{key}", words, worked[key], unit) for key, words, unit in SIZES]
    for i, value in enumerate(worked["values"], 1):
        words = f"The first number of the worked case's value {i} is {{}}."
        found.append(WORKED.claim(f"worked.value{i}", words, value, "1"))
    for i, step in enumerate(worked["steps"], 1):
        at = f"In the worked case, after key tile {i},"
        for key, words in STEP:
            found.append(WORKED.claim(f"worked.tile{i}.{key}", f"{at} {words}.", step[key], "1"))
        for key in ("scores", "weights"):
            for j, value in enumerate(step[key], 1):
                words = f"In the worked case's key tile {i}, {key[:-1]} {j} is about {{}}."
                found.append(WORKED.claim(f"worked.tile{i}.{key[:-1]}{j}", words, value, "1"))
    for name, count in worked["elements"].items():
        words = f"Fused, the worked case moves {{}} elements of {name.upper()}."
        found.append(WORKED.claim(f"worked.elements.{name}", words, count, "elements"))
    for kind, count in worked["operations"].items():
        words = f"Fused, the worked case takes {{}} {kind}."
        found.append(WORKED.claim(f"worked.{kind}", words, count, "operations"))
    return found


def contract_claims(contract: dict[str, Any]) -> list[dict[str, Any]]:
    """Claims of the section `contract`."""
    found = [
        group.claim(f"contract.{key}", words, contract[key], unit)
        for group, key, words, unit in (
            (
                CONTRACT,
                "query_tile_bytes",
                "The fused kernel's query tile takes {} bytes.",
                "bytes",
            ),
            (CONTRACT, "key_tile_bytes", "The fused kernel's key tile takes {} bytes.", "bytes"),
            (CONTRACT, "softmax_lanes", "The softmax kernel sums a row in {} lanes.", "lanes"),
            (
                CONTRACT,
                "first_stride",
                "The tree over the lanes begins with a stride of {}.",
                "lanes",
            ),
            (
                BOUND,
                "certified_theta",
                "A row is certified while no exponent error of it exceeds {}.",
                "1",
            ),
            (
                BOUND,
                "vanished",
                "A score {} below the largest, and more, gives a weight of zero in float32.",
                "1",
            ),
        )
    ]
    for d in contract["head_dims"]:
        words = "Head dimensions may be {}."
        found.append(CONTRACT.claim(f"contract.head_dim.d{d}", words, d, "numbers"))
    for key, kernel in (("mix_key_rows", "mix"), ("fused_fast_key_rows", "fused_fast")):
        for d, rows in contract[key].items():
            words = f"At d = {d[1:]} the {kernel} kernel's key tiles have {{}} rows."
            found.append(CONTRACT.claim(f"contract.{key}.{d}", words, rows, "rows"))
    return found


def setting_claims(settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Claims of the section `settings`, each resting on itself."""
    return [
        chosen(key).claim(f"settings.{key}", words, settings[key], unit)
        for key, words, unit in SETTINGS
    ]
