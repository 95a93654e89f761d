"""How the facts turned out, as yes or no: what sentences with variants choose by.

The build itself stops where a bound is broken, the control is not caught or a term exceeds one;
whoever brings other facts must not read otherwise.
"""

from __future__ import annotations

from typing import Any

from fusedfacts.errors import FactsError

LITTLE = 0.1  # of the work: what prose may call "a little"
NAMED = ("additions", "multiplications", "exps")


def of_facts(facts: dict[str, Any]) -> dict[str, bool]:
    """Evaluate every outcome that hangs on no size, by name."""
    control, overflow = facts["control"]["heads"], facts["overflow"]
    return {
        # Plain and tiled attention, on every head of the probe.
        "within_bound_on_every_head": all(
            figures["within_bound"] is True
            for head in facts["attention"]["heads"]
            for figures in head.values()
        ),
        # Forgetting the rescale spoils some answer on every head, and the checker saw it there.
        "control_wrong_on_every_head": all(head["rows_wrong"] > 0 for head in control),
        "control_caught_on_every_head": all(head["caught"] is True for head in control),
        # On no head does every largest score lie in the first tile, where nothing is to be seen.
        "control_shows_on_every_head": not any(
            head["rows_maximum_in_first_tile"] == head["rows"] for head in control
        ),
        # No answer passed but those whose largest score lies in the first tile.
        "control_right_only_in_first_tile": not any(
            head["rows_late_maximum_but_passing"] for head in control
        ),
        # e to the largest score of the probe's last row is finite in fp16.
        "probe_fits_fp16": overflow["probe_last_row"]["fits"] is True,
        "held_out_overflows": overflow["held_out"]["infinite_terms"] > 0,
        "subtraction_keeps_terms_at_most_one": not overflow["after_subtraction"]["terms_above_one"],
    }


def of_film(facts: dict[str, Any], n: int, d: int) -> dict[str, bool]:
    """Evaluate every outcome that a film of this size may speak of, by name."""
    size = next((size for size in facts["traffic"] if (size["n"], size["d"]) == (n, d)), None)
    if size is None:
        raise FactsError(
            f"facts: found no size n {n}, d {d} in traffic, expected the one that the film speaks"
            " of; give the config that they were built with by --configfile"
        )
    fused, unfused = size["fused"]["operations"], size["unfused"]["operations"]
    return {
        **of_facts(facts),
        # More of each named operation, but a little only. The exact counts decide: a claim's
        # rounding could hide the difference.
        "fused_does_little_more": all(
            unfused[kind] < fused[kind] <= unfused[kind] * (1 + LITTLE) for kind in NAMED
        ),
    }
