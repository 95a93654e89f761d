"""Verdicts against the figures beside them: what must agree if neither was touched."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from fusedfacts.audit.leaves import leaves
from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.numerics import fp16
from fusedfacts.numerics.rounding import DIGITS, decimals


def _figures(value: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every set of figures that ends in a verdict, with its place."""
    if isinstance(value, dict):
        if "within_bound" in value:
            yield where, value
        for key, below in value.items():
            yield from _figures(below, f"{where}.{key}".lstrip("."))
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from _figures(below, f"{where}[{i}]")


def bounds(facts: dict[str, Any], tally: Tally) -> None:
    """No error above its bound, no ratio above one, and the verdict says so."""
    for where, figures in _figures({k: v for k, v in facts.items() if k != "claims"}, ""):
        error, bound = figures["largest_error"], figures["bound_there"]
        ratio = figures["largest_ratio"]
        tally.equal(figures["within_bound"], True, f"{where}.within_bound")
        tally.hold(error <= bound, f"{where}: error {error} exceeds its bound {bound}")
        tally.hold(ratio <= 1, f"{where}: found the ratio {ratio}, expected at most 1")
        # Both are rounded up, by less than a part in a hundred each.
        tally.hold(
            error <= ratio * bound * 1.01**2,
            f"{where}: error {error} is more than {ratio} of its bound {bound}, which is called the"
            " largest ratio",
        )


def declared_rounding(facts: dict[str, Any], tally: Tally) -> None:
    """A bounded value shows no more digits than it declares."""
    for path, leaf in leaves(facts).items():
        if leaf.kind == "bounded" and type(leaf.value) is float:
            digits = len(Decimal(repr(leaf.value)).normalize().as_tuple().digits)
            tally.hold(
                digits <= DIGITS,
                f"{path}: found {leaf.value!r}, expected at most {DIGITS} significant digits",
            )


def control(facts: dict[str, Any], tally: Tally) -> None:
    """The control is caught exactly where an answer is wrong, and its counts add up."""
    for h, head in enumerate(facts["control"]["heads"]):
        wrong, late = head["row_is_wrong"], head["row_has_late_maximum"]
        where = f"control.heads[{h}]"
        for key, value in (
            ("rows", len(wrong)),
            ("rows_wrong", sum(wrong)),
            ("rows_maximum_in_first_tile", len(late) - sum(late)),
            (
                "rows_late_maximum_but_passing",
                sum(a and not b for a, b in zip(late, wrong, strict=True)),
            ),
            ("caught", any(wrong)),
        ):
            tally.equal(head[key], value, f"{where}.{key}")
        tally.hold(head["caught"], f"{where}: the broken control was not caught, expected it to be")
        tally.hold(
            (head["worst_ratio"] > 1) == head["caught"],
            f"{where}: found the ratio {head['worst_ratio']}, expected above 1 where caught",
        )
        tally.hold(
            head["rows_wrong"] <= head["elements_wrong"] <= head["elements"],
            f"{where}: found {head['elements_wrong']} elements wrong in {head['rows_wrong']} rows",
        )


def mutants(facts: dict[str, Any], tally: Tally) -> None:
    """Each fault is seen where its figures say so, where it must be, and not where it cannot."""
    section = facts["mutants"]
    tally.equal(sorted(section["matrix"]), sorted(section["mutants"]), "mutants.matrix: faults")
    for name, cells in section["matrix"].items():
        for on, cell in cells.items():
            where = f"mutants.matrix.{name}.{on}"
            ratio = cell["largest_ratio"]
            tally.equal(cell["seen"], cell["rows_wrong"] > 0, f"{where}.seen")
            tally.equal(cell["seen"], ratio is None or ratio > 1, f"{where}.seen, by its ratio")
            tally.hold(
                not (cell["seen"] and cell["bit_equal_to_right_answer"]),
                f"{where}: is seen and equals the right answer in every bit",
            )
        fault = section["mutants"][name]
        tally.equal(cells[fault["must_be_seen_by"]]["seen"], True, f"mutants.{name}: must be seen")
        unseen = cells[fault["cannot_be_seen_by"]]["bit_equal_to_right_answer"]
        tally.equal(unseen, True, f"mutants.{name}: cannot be seen")


def overflow(facts: dict[str, Any], tally: Tally) -> None:
    """Thresholds by exact arithmetic; counts that contain each other."""
    found = facts["overflow"]
    for key, value in (
        ("largest", fp16.LARGEST),
        ("rounds_to_infinity_from", fp16.TO_INFINITY),
        ("ln_largest", decimals(fp16.ln(fp16.LARGEST))),
        ("ln_rounds_to_infinity_from", decimals(fp16.ln(fp16.TO_INFINITY))),
    ):
        tally.equal(found["fp16"][key], value, f"overflow.fp16.{key}")
    held_out, probe = found["held_out"], found["probe_last_row"]
    per_head = sum(held_out["infinite_terms_per_head"])
    tally.equal(per_head, held_out["infinite_terms"], "overflow.held_out.infinite_terms_per_head")
    tally.equal(sum(found["histogram"]["counts"]), held_out["scores"], "overflow.histogram")
    tally.equal(probe["fits"], probe["exp_in_fp16"] is not None, "overflow.probe_last_row.fits")
    tally.hold(
        held_out["rows_with_infinite_term"] <= held_out["infinite_terms"] <= held_out["scores"],
        "overflow.held_out: rows with an infinite term, infinite terms and scores do not contain"
        " each other",
    )
    tally.equal(found["after_subtraction"]["terms_above_one"], 0, "overflow.after_subtraction")


def all_verdicts(subject: Subject, tally: Tally) -> None:
    """Everything above."""
    for look in (bounds, declared_rounding, control, mutants, overflow):
        look(subject.facts, tally)
