"""drawn.json: what the film draws of the facts, so that a page can play it without all of them."""

from __future__ import annotations

from typing import Any

from fusedfacts.documents import schema
from fusedfacts.lesson.film import HINT, first_quotes
from fusedfacts.lesson.scenes import Sizes

SCHEMA_VERSION = 1
# What is drawn whatever the film says: words depend on how the facts turned out, drawings do not.
CLAIMS = """attention.largest_ratio control.key_rows control.rows control.rows_right
control.rows_wrong kernels.unfused overflow.after_subtraction.largest_term overflow.fp16.largest
overflow.fp16.ln_largest overflow.fp16.ln_rounds_to_infinity_from overflow.held_out.infinite_terms
overflow.held_out.largest_score overflow.held_out.scores overflow.probe_last_row.exp_in_fp16
overflow.probe_last_row.largest_score sizes.{words} sizes.{wide_d} sizes.{narrow_d}
tiles.query_rows.{wide_d} tiles.query_rows.{narrow_d} traffic.table.crossings
traffic.table.mib.{words} traffic.unfused.mib.{wide} traffic.unfused.mib.{narrow}
traffic.fused.mib.{wide} traffic.fused.mib.{narrow} traffic.ratio.{narrow}
operations.extra.exps.{wide} operations.fused.exps.{wide} operations.unfused.exps.{wide}""".split()


def drawn(facts: dict[str, Any], film: dict[str, Any]) -> dict[str, Any]:
    """Gather the claims that the film says or draws, and the rows of sections that it draws."""
    suffixes = Sizes(**film["sizes"]).suffixes()
    heads = facts["control"]["heads"]
    wanted = {run["claim"] for run in first_quotes(film)}
    wanted |= {claim.format(**suffixes) for claim in CLAIMS}
    wanted |= {f"control.head{h}.rows_wrong" for h in range(len(heads))}
    overflow = facts["overflow"]
    document = {
        "schema_version": SCHEMA_VERSION,
        "claims": [
            {key: claim[key] for key in ("id", "display", "value")}
            for claim in facts["claims"]
            if claim["id"] in wanted
        ],
        "attention": {
            "heads": [
                {way: {"largest_ratio": found["largest_ratio"]} for way, found in head.items()}
                for head in facts["attention"]["heads"]
            ]
        },
        "control": {
            "heads": [
                {key: head[key] for key in ("row_has_late_maximum", "row_is_wrong", "rows_wrong")}
                for head in heads
            ],
            "key_rows": facts["control"]["key_rows"],
        },
        "model": {"probe": {"sentence": facts["model"]["probe"]["sentence"]}},
        "overflow": {
            "fp16": {"ln_largest": overflow["fp16"]["ln_largest"]},
            "held_out": {"largest_score": overflow["held_out"]["largest_score"]},
            "histogram": overflow["histogram"],
            "probe_last_row": {
                key: overflow["probe_last_row"][key]
                for key in ("exp_in_fp16", "fits", "largest_score")
            },
        },
        "sentence": facts["sentence"],
    }
    schema.validate(document, "drawn", "drawn.json", HINT)
    return document
