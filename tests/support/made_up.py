"""Facts that turned out otherwise, for sentences that choose between variants."""

import copy
from functools import reduce

LATE = "rows_late_maximum_but_passing"
# For each outcome, what is changed in the facts, by path, and in the claims, by id.
PATHS = {
    "within_bound_on_every_head": {("attention", "heads", 2, "plain", "within_bound"): False},
    "control_wrong_on_every_head": {("control", "heads", 1, "rows_wrong"): 0},
    "control_caught_on_every_head": {("control", "heads", 1, "caught"): False},
    "control_shows_on_every_head": {("control", "heads", 1, "rows_maximum_in_first_tile"): 24},
    "control_right_only_in_first_tile": {("control", "heads", 3, LATE): 2},
    "probe_fits_fp16": {
        ("overflow", "probe_last_row", "fits"): False,
        ("overflow", "probe_last_row", "exp_in_fp16"): None,
    },
    "held_out_overflows": {
        ("overflow", "held_out", "infinite_terms"): 0,
        ("overflow", "held_out", "largest_score"): 8.25,
        ("overflow", "histogram"): {"edges": [7, 8, 9], "counts": [200, 100]},
    },
    "subtraction_keeps_terms_at_most_one": {
        ("overflow", "after_subtraction", "terms_above_one"): 7,
        ("overflow", "after_subtraction", "largest_term"): 1.5,
    },
    # Fewer exps than unfused.
    "fused_does_little_more": {("film size", "fused", "operations", "exps"): 1},
}
CLAIMS = {
    "within_bound_on_every_head": {"attention.head2.plain.within_bound": False},
    "control_wrong_on_every_head": {"control.head1.rows_wrong": 0, "control.rows_wrong": 22},
    "control_caught_on_every_head": {"control.heads_caught": 3},
    "control_shows_on_every_head": {"control.head1.rows_maximum_in_first_tile": 24},
    "control_right_only_in_first_tile": {f"control.{LATE}": 2},
    "probe_fits_fp16": {
        "overflow.probe_last_row.largest_score": 12.5,
        "overflow.probe_last_row.exp_in_fp16": "infinity",
    },
    "held_out_overflows": {
        "overflow.held_out.infinite_terms": 0,
        "overflow.held_out.largest_score": 8.25,
    },
    "subtraction_keeps_terms_at_most_one": {
        "overflow.after_subtraction.terms_above_one": 7,
        "overflow.after_subtraction.largest_term": 1.5,
    },
    "fused_does_little_more": {"operations.extra.exps.n4096.d64": None},  # has another id then
}
TURNED = tuple(PATHS)
# A head that cannot show the control: only both together are said.
SILENT = ("control_caught_on_every_head", "control_shows_on_every_head")


def otherwise(facts, *outcomes):
    """A copy in which these outcomes, true in the published facts, are false."""
    changed = copy.deepcopy(facts)
    size = next(s for s in changed["traffic"] if (s["n"], s["d"]) == (4096, 64))
    for outcome in outcomes:
        for (*path, last), value in PATHS[outcome].items():
            reduce(lambda node, key: node[key], path, {**changed, "film size": size})[last] = value
        for identifier, value in CLAIMS[outcome].items():
            claim = next(c for c in changed["claims"] if c["id"] == identifier)
            claim |= {"value": value, "display": "no" if value is False else str(value)}
    changed["claims"] = [claim for claim in changed["claims"] if claim["value"] is not None]
    return changed
