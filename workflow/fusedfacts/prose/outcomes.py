"""How the facts turned out, as yes or no: what sentences with variants choose by.

Each outcome is read from facts.json alone and has its test with made-up facts. A comparison that a
claim's rounding could hide is made on the exact counts behind it.
"""

from __future__ import annotations

from typing import Any

from fusedfacts.errors import ClaimError

LITTLE = 0.1  # of the work: what prose may call "a little"
NAMED = ("additions", "multiplications", "exps")


def within_bound_on_every_head(facts: dict[str, Any]) -> bool:
    """Whether plain and tiled attention lie within their bounds on every head of the probe."""
    return all(
        figures["within_bound"] is True
        for head in facts["attention"]["heads"]
        for figures in head.values()
    )


def control_wrong_on_every_head(facts: dict[str, Any]) -> bool:
    """Whether forgetting the rescale spoils some answer on every head."""
    return all(head["rows_wrong"] > 0 for head in facts["control"]["heads"])


def control_caught_on_every_head(facts: dict[str, Any]) -> bool:
    """Whether the checker saw it on every head."""
    return all(head["caught"] is True for head in facts["control"]["heads"])


def control_right_only_in_first_tile(facts: dict[str, Any]) -> bool:
    """Whether no answer passed but those whose largest score lies in the first tile."""
    return all(head["rows_late_maximum_but_passing"] == 0 for head in facts["control"]["heads"])


def probe_fits_fp16(facts: dict[str, Any]) -> bool:
    """Whether e to the largest score of the probe's last row is finite in fp16."""
    return facts["overflow"]["probe_last_row"]["fits"] is True


def held_out_overflows(facts: dict[str, Any]) -> bool:
    """Whether any held-out score would become infinity in fp16."""
    return bool(facts["overflow"]["held_out"]["infinite_terms"] > 0)


def subtraction_keeps_terms_at_most_one(facts: dict[str, Any]) -> bool:
    """Whether no term exceeds one after the maximum is subtracted."""
    return bool(facts["overflow"]["after_subtraction"]["terms_above_one"] == 0)


def fused_does_little_more(facts: dict[str, Any], words: int, wide: int) -> bool:
    """Whether fused attention does more of each kind that the film names, but a little only."""
    sizes = [size for size in facts["traffic"] if (size["n"], size["d"]) == (words, wide)]
    if not sizes:
        raise ClaimError(
            f"facts.json: found no size n = {words}, d = {wide} in traffic, expected the film's;"
            " correct film_words and film_wide in config.yaml"
        )
    fused, unfused = (sizes[0][way]["operations"] for way in ("fused", "unfused"))
    return all(unfused[kind] < fused[kind] <= unfused[kind] * (1 + LITTLE) for kind in NAMED)


# The build itself stops where a bound is broken, the control is not caught or a term exceeds one;
# whoever brings other facts must not be told otherwise by the words.
OF_FACTS = (
    within_bound_on_every_head,
    control_wrong_on_every_head,
    control_caught_on_every_head,
    control_right_only_in_first_tile,
    probe_fits_fp16,
    held_out_overflows,
    subtraction_keeps_terms_at_most_one,
)


def of_facts(facts: dict[str, Any]) -> dict[str, bool]:
    """Every outcome that hangs on no size, by name."""
    return {outcome.__name__: outcome(facts) for outcome in OF_FACTS}


def of_film(facts: dict[str, Any], words: int, wide: int) -> dict[str, bool]:
    """Every outcome that the film may speak of, by name.

    Parameters
    ----------
    facts : dict
        facts.json.
    words, wide : int
        Sequence length and the larger head dimension of the film.
    """
    little_more = fused_does_little_more(facts, words, wide)
    return {**of_facts(facts), fused_does_little_more.__name__: little_more}
