"""A claim: one published number with everything needed to check it and to doubt it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fusedfacts.errors import ClaimError

Value = bool | int | float | str
PROJECT, DAO, MILAKOV = "project", "arXiv:2205.14135", "arXiv:1805.02867"

MODEL_INPUTS = ("inputs.weights", "inputs.vocabulary", "inputs.held_out", "inputs.probe")


@dataclass(frozen=True)
class Group:
    """What the claims of one computation share.

    Attributes
    ----------
    computed_by : str
        Module and function, importable as they stand.
    inputs : tuple of str
        Paths within facts.json of the inputs and settings that the value follows from.
    checked_by : str
        How the value was checked, in a sentence.
    does_not_prove : str
        What a reader must not conclude.
    source : str
        Id of an entry of `sources`.
    """

    computed_by: str
    inputs: tuple[str, ...]
    checked_by: str
    does_not_prove: str
    source: str = PROJECT

    def claim(
        self,
        identifier: str,
        statement: str,
        value: Value,
        unit: str,
        kind: str = "exact",
    ) -> dict[str, Any]:
        """One claim. `{}` in the statement stands for the displayed value."""
        display = show(value)
        return {
            "id": identifier,
            "statement": statement.replace("{}", display),
            "value": value,
            "unit": unit,
            "display": display,
            "class": kind,
            "computed_by": self.computed_by,
            "checked_by": self.checked_by,
            "inputs": list(self.inputs),
            "source": self.source,
            "does_not_prove": self.does_not_prove,
        }

    def checked(self, identifier: str, what: str, figures: dict[str, Any]) -> list[dict[str, Any]]:
        """Error, bound, ratio and verdict of a check that passed."""
        parts = (
            ("error", f"The largest error of {what} is at most {{}}.", "largest_error"),
            (
                "bound",
                f"Where {what} errs most, its bound is at most {{}}.",
                "bound_there",
            ),
            ("ratio", f"No error of {what} exceeds {{}} of its own bound.", "largest_ratio"),
        )
        claims = [
            self.claim(f"{identifier}.{name}", statement, figures[key], "1", "bounded")
            for name, statement, key in parts
        ]
        verdict = f"Every element of {what} lies within its bound: {{}}."
        verdict_claim = self.claim(
            f"{identifier}.within_bound", verdict, figures["within_bound"], "verdict"
        )
        return [*claims, verdict_claim]

    def faults_seen(self, identifier: str, what: str, seen: dict[str, Any]) -> list[dict[str, Any]]:
        """How small a planted error of every row's total the checker still sees."""
        return [
            self.claim(
                f"{identifier}.fault_{where}",
                f"In {what}, the smallest planted error of a row's total that is seen"
                f" {where.replace('_', ' ')} is two to the minus {{}} of the total.",
                exponent,
                "binary exponent",
                "bounded",
            )
            for where, exponent in seen.items()
            if exponent is not None
        ]


def chosen(setting: str) -> Group:
    """The group of a claim that repeats a setting, which rests on itself."""
    return Group(
        "fusedfacts.pipeline.config.settings",
        (f"settings.{setting}",),
        "The config was held against its schema before anything ran.",
        "It was chosen, not found: nothing follows from it alone.",
    )


def show(value: Value) -> str:
    """A value as prose shows it.

    >>> show(270532608), show(True), show(1.5e-07), show(16.5152), show(14720.0), show(4751.5)
    ('270,532,608', 'yes', '1.5e-07', '16.5152', '14,720', '4,751.5')
    """
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{int(value):,}" if value.is_integer() else f"{value:,}"
    return value


def once(claims: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims sorted by id, each id once.

    Raises
    ------
    ClaimError
        If two claims share an id.
    """
    ordered = sorted(claims, key=lambda claim: str(claim["id"]))
    for one, other in pairwise(ordered):
        if one["id"] == other["id"]:
            raise ClaimError(f"claims: the id {one['id']} appears twice, expected once")
    return ordered
