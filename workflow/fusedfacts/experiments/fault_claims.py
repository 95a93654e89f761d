"""Claims about the broken control and the other mutants."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import MODEL_INPUTS, Group

CONTROL = Group(
    "fusedfacts.experiments.control.results",
    (*MODEL_INPUTS, "settings.control_key_rows"),
    "The right answer passes the same check that the broken answer is put to; answers whose "
    "largest score lies in the first tile equal the right answer in every bit.",
    "It shows that this checker sees this fault on this sentence; another fault needs its own"
    " control.",
)
MUTANTS = Group(
    "fusedfacts.experiments.mutants.results",
    ("settings.seed",),
    "Each fault is run on each input; the input made for it must see it, and an input that "
    "cannot see it must keep every bit.",
    "It shows which of these inputs sees which of these faults, not that every fault is seen.",
)

PER_HEAD = (
    ("rows_wrong", "{} answers are wrong", "rows"),
    ("elements_wrong", "{} elements are wrong", "elements"),
    ("worst_ratio", "the worst error is at most {} times its bound", "1"),
    (
        "rows_maximum_in_first_tile",
        "{} answers have their largest score in the first key tile, and all of them equal the right"
        " answer in every bit",
        "rows",
    ),
    (
        "rows_late_maximum_but_passing",
        "{} answers pass although their largest score lies in a later tile",
        "rows",
    ),
    ("rows", "{} answers were checked", "rows"),
)
TOTALS = ("rows_wrong", "elements_wrong", "rows_late_maximum_but_passing", "rows")


def control_claims(control: dict[str, Any]) -> list[dict[str, Any]]:
    """The control per head, and over all heads."""
    claims: list[dict[str, Any]] = []
    heads = control["heads"]
    for key, words, unit in PER_HEAD:
        for h, head in enumerate(heads):
            kind = "bounded" if key == "worst_ratio" else "exact"
            statement = f"With the total not rescaled, head {h}: {words}."
            claims.append(CONTROL.claim(f"control.head{h}.{key}", statement, head[key], unit, kind))
        if key in TOTALS:
            statement = f"With the total not rescaled, all heads together: {words}."
            total = sum(head[key] for head in heads)
            claims.append(CONTROL.claim(f"control.{key}", statement, total, unit))
    right = [head["rows"] - head["rows_wrong"] for head in heads]
    for h, rows in enumerate(right):
        statement = f"With the total not rescaled, head {h}: {{}} answers are right."
        claims.append(CONTROL.claim(f"control.head{h}.rows_right", statement, rows, "rows"))
    claims.append(
        CONTROL.claim(
            "control.rows_right",
            "With the total not rescaled, all heads together: {} answers are right.",
            sum(right),
            "rows",
        )
    )
    caught = sum(head["caught"] for head in heads)
    claims.append(
        CONTROL.claim(
            "control.heads_caught",
            "The checker caught the missing rescale on {} heads.",
            caught,
            "heads",
        )
    )
    claims.append(
        CONTROL.claim(
            "control.key_rows",
            "The control's key tiles have {} rows.",
            control["key_rows"],
            "rows",
        )
    )
    return claims


def mutant_claims(mutants: dict[str, Any]) -> list[dict[str, Any]]:
    """For each mutant, how many inputs see it; the matrix itself stands in `mutants`."""
    claims: list[dict[str, Any]] = []
    for name, cells in mutants["matrix"].items():
        facts = mutants["mutants"][name]
        seen = sum(cell["seen"] for cell in cells.values())
        fault = f"Fault: {facts['what']}."
        statements = (
            ("inputs_seeing_it", f"{fault} It is seen on {{}} of {len(cells)} inputs.", seen),
            (
                "seen",
                f"{fault} The checker sees it on {facts['must_be_seen_by']} input: {{}}.",
                cells[facts["must_be_seen_by"]]["seen"],
            ),
            (
                "invisible",
                f"{fault} It changes no bit on {facts['cannot_be_seen_by']} input, because"
                f" {facts['cannot_because']}: {{}}.",
                cells[facts["cannot_be_seen_by"]]["bit_equal_to_right_answer"],
            ),
        )
        for key, statement, value in statements:
            unit = "inputs" if key == "inputs_seeing_it" else "verdict"
            claims.append(MUTANTS.claim(f"mutants.{name}.{key}", statement, value, unit))
    return claims
