"""The short table at the end of `make facts`.

python -m fusedfacts.publishing.summary media/school/fused
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fusedfacts.publishing import folder as published
from fusedfacts.terminal import reporting


def rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Select what is shown of the facts: label and value."""
    shown = {claim["id"]: claim["display"] for claim in facts["claims"]}
    table: list[tuple[str, str]] = []
    for size in facts["traffic"]:
        at = f"n{size['n']}.d{size['d']}"
        unfused, fused, ratio = (shown[f"traffic.{k}.{at}"] for k in ("unfused", "fused", "ratio"))
        label = f"bytes       n {size['n']:>5,}  d {size['d']:>3}"
        table.append((label, f"unfused {unfused:>11}  fused {fused:>11}  ratio {ratio}"))
    ways = [size[way] for size in facts["traffic"] for way in ("fused", "unfused")]
    worst = max(way["largest_ratio"] for way in ways)
    wrong, rows, heads = (shown[f"control.{k}"] for k in ("rows_wrong", "rows", "heads_caught"))
    mutants, matrix = facts["mutants"]["mutants"], facts["mutants"]["matrix"]
    seen = [matrix[name][fault["must_be_seen_by"]]["seen"] for name, fault in mutants.items()]
    held_out = facts["overflow"]["held_out"]
    infinite = f"{held_out['infinite_terms']:,} of {held_out['scores']:,} held-out"
    return [
        *table,
        ("errors      sweep, error over bound", f"{worst} at most"),
        ("control     wrong answers, all heads", f"{wrong} of {rows}, caught on {heads} heads"),
        ("mutants     seen where they must be", f"{sum(seen)} of {len(seen)}"),
        ("overflow    e^score infinite in fp16", infinite),
        ("claims      in all", f"{len(facts['claims']):,}"),
    ]


def main(arguments: list[str]) -> None:
    """Print the table of a published folder."""
    folder = Path(arguments[0])
    table = rows(published.check(folder))
    width = max(len(label) for label, _ in table)
    for label, value in table:
        print(f"{label:<{width}}  {value}")
    print(folder / "facts.json")


if __name__ == "__main__":
    with reporting():
        main(sys.argv[1:])
