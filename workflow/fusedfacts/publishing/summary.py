"""The short table at the end of `make facts`.

python -m fusedfacts.publishing.summary media/school/fused
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fusedfacts.publishing import folder as publish
from fusedfacts.terminal import reporting


def rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """What is shown of the facts: label and value."""
    shown = {claim["id"]: claim["display"] for claim in facts["claims"]}
    table: list[tuple[str, str]] = []
    for size in facts["traffic"]:
        at = f"n{size['n']}.d{size['d']}"
        label = f"n {size['n']:>5}  d {size['d']:>3}"
        table.append(
            (
                f"bytes       {label}",
                f"unfused {shown[f'traffic.unfused.{at}']:>14}   fused"
                f" {shown[f'traffic.fused.{at}']:>13}   ratio {shown[f'traffic.ratio.{at}']}",
            )
        )
    worst = max(
        size[way]["largest_ratio"] for size in facts["traffic"] for way in ("fused", "unfused")
    )
    mutants = facts["mutants"]["mutants"]
    seen = sum(
        facts["mutants"]["matrix"][name][fault["must_be_seen_by"]]["seen"]
        for name, fault in mutants.items()
    )
    held_out = facts["overflow"]["held_out"]
    table += [
        ("errors      sweep, the largest error", f"{worst} of its bound"),
        (
            "control     wrong answers, all heads",
            f"{shown['control.rows_wrong']} of {shown['control.rows']}, caught on"
            f" {shown['control.heads_caught']} heads",
        ),
        ("mutants     seen where they must be", f"{seen} of {len(mutants)}"),
        (
            "overflow    held-out scores infinite in fp16",
            f"{held_out['infinite_terms']:,} of {held_out['scores']:,}",
        ),
        ("claims      in all", f"{len(facts['claims']):,}"),
    ]
    return table


def main(arguments: list[str]) -> None:
    """Print the table of a published folder."""
    folder = Path(arguments[0])
    table = rows(publish.check(folder))
    width = max(len(label) for label, _ in table)
    for label, value in table:
        print(f"{label:<{width}}  {value}")
    print(folder / "facts.json")


if __name__ == "__main__":
    with reporting():
        main(sys.argv[1:])
