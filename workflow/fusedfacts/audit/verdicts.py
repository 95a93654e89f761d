"""Verdicts against the figures beside them: what must agree if neither was touched."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from fusedfacts.audit import heads, judged
from fusedfacts.audit.leaves import leaves, objects
from fusedfacts.audit.rules import FACTS, Tally, check
from fusedfacts.audit.subject import Subject
from fusedfacts.experiments.control import cannot_show
from fusedfacts.numerics import fp16
from fusedfacts.numerics.rounding import DIGITS, decimals


def check_bounds(facts: dict[str, Any], tally: Tally) -> None:
    """Require no error above its bound, no ratio above one, and a verdict that says so."""
    for where, figures in objects(facts):
        if "within_bound" not in figures:
            continue
        error, bound = figures["largest_error"], figures["bound_there"]
        ratio = figures["largest_ratio"]
        tally.require_equal(figures["within_bound"], True, f"{where}.within_bound")
        tally.require(error <= bound, f"{where}: error {error} exceeds its bound {bound}")
        tally.require(ratio <= 1, f"{where}: found the ratio {ratio}, expected at most 1")
        # Both are rounded up, by less than a part in a hundred each.
        tally.require(
            error <= ratio * bound * 1.01**2,
            f"{where}: error {error} is more than {ratio} of its bound {bound}, which is called the"
            " largest ratio",
        )


def check_declared_rounding(facts: dict[str, Any], tally: Tally) -> None:
    """Require that a bounded value shows no more digits than it declares."""
    for path, leaf in leaves(facts).items():
        if leaf.kind == "bounded" and type(leaf.value) is float:
            digits = len(Decimal(repr(leaf.value)).normalize().as_tuple().digits)
            tally.require(
                digits <= DIGITS,
                f"{path}: found {leaf.value!r}, expected at most {DIGITS} significant digits",
            )


def check_control(facts: dict[str, Any], tally: Tally) -> None:
    """Require a control that is caught where an answer is wrong, and counts that add up."""
    for h, head in enumerate(facts["control"]["heads"]):
        wrong, late = head["row_is_wrong"], head["row_has_late_maximum"]
        passing = sum(a and not b for a, b in zip(late, wrong, strict=True))
        where = f"control.heads[{h}]"
        expected = {
            "rows": len(wrong),
            "rows_wrong": sum(wrong),
            "rows_maximum_in_first_tile": len(late) - sum(late),
            "rows_late_maximum_but_passing": passing,
            "caught": any(wrong),
        }
        tally.require_entries(head, expected, f"{where}.")
        fault = f"{where}: the broken control was not caught, expected it to be"
        tally.require(head["caught"] or cannot_show(head), fault)
        tally.require(
            (head["worst_ratio"] > 1) == head["caught"],
            f"{where}: found the ratio {head['worst_ratio']}, expected above 1 where caught",
        )
        tally.require(
            head["rows_wrong"] <= head["elements_wrong"] <= head["elements"],
            f"{where}: found {head['elements_wrong']} elements wrong in {head['rows_wrong']} rows",
        )


def check_mutants(facts: dict[str, Any], tally: Tally) -> None:
    """Require each fault to be seen where figures say so and it must be, not where it cannot."""
    matrix, mutants = facts["mutants"]["matrix"], facts["mutants"]["mutants"]
    tally.require_equal(sorted(matrix), sorted(mutants), "mutants.matrix: faults")
    for name, cells in matrix.items():
        for on, cell in cells.items():
            where = f"mutants.matrix.{name}.{on}"
            seen, ratio = cell["seen"], cell["largest_ratio"]
            tally.require_equal(seen, cell["rows_wrong"] > 0, f"{where}.seen")
            tally.require_equal(seen, ratio is None or ratio > 1, f"{where}.seen, by its ratio")
            tally.require(
                not (seen and cell["bit_equal_to_right_answer"]),
                f"{where}: is seen and equals the right answer in every bit",
            )
        seen = cells[mutants[name]["must_be_seen_by"]]["seen"]
        tally.require_equal(seen, True, f"mutants.{name}: must be seen")
        unseen = cells[mutants[name]["cannot_be_seen_by"]]["bit_equal_to_right_answer"]
        tally.require_equal(unseen, True, f"mutants.{name}: cannot be seen")


def check_overflow(facts: dict[str, Any], tally: Tally) -> None:
    """Compute thresholds by exact arithmetic; require counts that contain each other."""
    found = facts["overflow"]
    held_out, probe = found["held_out"], found["probe_last_row"]
    thresholds = {
        "largest": fp16.LARGEST,
        "rounds_to_infinity_from": fp16.TO_INFINITY,
        "ln_largest": decimals(fp16.ln(fp16.LARGEST)),
        "ln_rounds_to_infinity_from": decimals(fp16.ln(fp16.TO_INFINITY)),
    }
    tally.require_entries(found["fp16"], thresholds, "overflow.fp16.")
    terms, per_head = held_out["infinite_terms"], sum(held_out["infinite_terms_per_head"])
    for name, value, expected in (
        ("held_out.infinite_terms_per_head", per_head, terms),
        ("histogram", sum(found["histogram"]["counts"]), held_out["scores"]),
        ("probe_last_row.fits", probe["fits"], probe["exp_in_fp16"] is not None),
        ("after_subtraction", found["after_subtraction"]["terms_above_one"], 0),
    ):
        tally.require_equal(value, expected, f"overflow.{name}")
    tally.require(
        held_out["rows_with_infinite_term"] <= terms <= held_out["scores"],
        "overflow.held_out: rows with an infinite term, infinite terms and scores do not contain"
        " each other",
    )


VERDICTS = (
    check_bounds,
    check_declared_rounding,
    check_control,
    heads.check_figures,
    check_mutants,
    check_overflow,
    judged.check_real,
    judged.check_rules,
)


@check("verdicts", "each verdict against its figures", "figures", FACTS)
def check_verdicts(subject: Subject, tally: Tally) -> None:
    """Hold all verdicts against their figures."""
    for hold in VERDICTS:
        hold(subject.facts, tally)
