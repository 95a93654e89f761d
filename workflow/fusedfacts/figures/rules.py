"""Which rule sees which fault in half precision: on how many heads, fp16 above bf16."""

from __future__ import annotations

import math
from typing import Any

from fusedfacts.figures import svg, words

TITLE = "Who sees what, in fp16 and bf16"
LEFT, RIGHT = 182, 58  # room for the faults' names, and for what the last rule's name overhangs
LINE = 15  # of one precision
ROW = 2 * LINE + 6
SLANT = -58  # degrees: steep enough for narrow columns, slanted enough to read


def _cell(x: float, y: float, width: float, found: dict[str, int], section: dict[str, Any]) -> str:
    """Draw one number, on a bar as long as its share of all heads; framed where it alone sees."""
    share = found["seen"] / section["heads"]
    parts = [svg.box(x, y, width * share, LINE - 1, "band")] if share else []
    if found["alone"]:
        parts.append(svg.box(x, y, width, LINE - 1, "frame"))
    parts.append(svg.label(x + width / 2, y + LINE - 3, f"{found['seen']}", "ink tick", "middle"))
    return f'<g class="cell">{"".join(parts)}</g>'


def draw(facts: dict[str, Any]) -> str:
    """Draw the matrix of faults by rules."""
    section = facts["rules"]
    seen, alone = section["seen"], section["seen_by_it_alone"]
    # In the order in which they are listed, whatever that of a file's keys is.
    rules = sorted(section["rules"], key=lambda name: (not name.startswith("bound"), name))
    halves = sorted(seen, reverse=True)
    faults = sorted(set(seen[halves[-1]]) | set(seen[halves[0]]), key=lambda n: (n != "none", n))
    about = (
        f"On how many of {section['heads']} recorded heads each rule sees a fault that was"
        f" planted in a fused kernel, {' above '.join(halves)}. A frame: this rule, and neither"
        " bound that is proved."
    )
    parts, top = svg.heading(TITLE, about)
    longest = max(len(words.plain(name)) for name in rules)
    tall = svg.breadth("m" * longest, svg.SMALL) * math.sin(math.radians(-SLANT))
    top += 20 + math.ceil(tall)
    column = (svg.WIDTH - LEFT - RIGHT) / len(rules)
    for c, name in enumerate(rules):
        x = LEFT + (c + 0.5) * column
        parts.append(svg.label(x + 4, top - 8, words.plain(name), "ink tick", turn=SLANT))
    for r, fault in enumerate(faults):
        y = top + r * ROW
        parts.append(svg.path([(16, y), (svg.WIDTH - RIGHT, y)], "grid"))
        name = "no fault: a false alarm" if fault == "none" else words.plain(fault)
        parts.append(svg.label(LEFT - 8, y + ROW / 2 + 4, name, "ink tick", "end"))
        for h, half in enumerate(halves):
            for c, rule in enumerate(rules):
                if fault in seen[half]:
                    found = {"seen": seen[half][fault][rule]}
                    found["alone"] = alone[half].get(fault, {}).get(rule, 0)
                    at = LEFT + c * column + 2, y + 3 + h * LINE
                    parts.append(_cell(*at, column - 4, found, section))
    sentences = []
    for rule in rules:
        totals = [
            f"{sum(n[rule] for f, n in seen[half].items() if f != 'none')} in {half}"
            for half in halves
        ]
        sentences.append(f"{words.plain(rule)}: {' and '.join(totals)}.")
    description = (
        f"Pairs of a fault and a head that each rule sees, of {section['heads']} heads."
        f" {' '.join(sentences).capitalize()}"
    )
    return svg.document(top + len(faults) * ROW + 16, TITLE, description, parts)
