"""Facts that turned out otherwise, for sentences that choose between variants."""

import copy


def with_claim(facts, identifier, value, display=None):
    """Another value of one claim, in place."""
    claim = next(claim for claim in facts["claims"] if claim["id"] == identifier)
    claim["value"] = value
    claim["display"] = display or f"{value:,}"


def within_bound_on_every_head(facts):
    facts["attention"]["heads"][2]["plain"]["within_bound"] = False
    with_claim(facts, "attention.head2.plain.within_bound", False, "no")


def control_wrong_on_every_head(facts):
    facts["control"]["heads"][1]["rows_wrong"] = 0
    with_claim(facts, "control.head1.rows_wrong", 0)
    with_claim(facts, "control.rows_wrong", 22)


def control_caught_on_every_head(facts):
    facts["control"]["heads"][1]["caught"] = False
    with_claim(facts, "control.heads_caught", 3)


def control_right_only_in_first_tile(facts):
    facts["control"]["heads"][3]["rows_late_maximum_but_passing"] = 2
    with_claim(facts, "control.rows_late_maximum_but_passing", 2)


def probe_fits_fp16(facts):
    facts["overflow"]["probe_last_row"] |= {"fits": False, "exp_in_fp16": None}
    with_claim(facts, "overflow.probe_last_row.largest_score", 12.5)
    with_claim(facts, "overflow.probe_last_row.exp_in_fp16", "infinity", "infinity")


def held_out_overflows(facts):
    facts["overflow"]["held_out"] |= {"infinite_terms": 0, "largest_score": 8.25}
    edges, counts = (facts["overflow"]["histogram"][key] for key in ("edges", "counts"))
    last = edges.index(9)
    facts["overflow"]["histogram"] = {"edges": edges[: last + 1], "counts": counts[:last]}
    with_claim(facts, "overflow.held_out.infinite_terms", 0)
    with_claim(facts, "overflow.held_out.largest_score", 8.25)


def subtraction_keeps_terms_at_most_one(facts):
    facts["overflow"]["after_subtraction"] |= {"terms_above_one": 7, "largest_term": 1.5}
    with_claim(facts, "overflow.after_subtraction.terms_above_one", 7)
    with_claim(facts, "overflow.after_subtraction.largest_term", 1.5)


def fused_does_little_more(facts):
    """Fewer exps than unfused, so that the claim has another id."""
    size = next(s for s in facts["traffic"] if (s["n"], s["d"]) == (4096, 64))
    size["fused"]["operations"]["exps"] = size["unfused"]["operations"]["exps"] // 2
    facts["claims"] = [
        claim for claim in facts["claims"] if claim["id"] != "operations.extra.exps.n4096.d64"
    ]


TURNED = {
    change.__name__: change
    for change in (
        within_bound_on_every_head,
        control_wrong_on_every_head,
        control_caught_on_every_head,
        control_right_only_in_first_tile,
        probe_fits_fp16,
        held_out_overflows,
        subtraction_keeps_terms_at_most_one,
        fused_does_little_more,
    )
}


def otherwise(facts, *outcomes):
    """A copy in which these outcomes, true in the published facts, are false."""
    changed = copy.deepcopy(facts)
    for outcome in outcomes:
        TURNED[outcome](changed)
    return changed
